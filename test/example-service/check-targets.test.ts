import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findRefusedTarget } from "../../examples/service/pages/check-targets.js";
import { hostGate } from "../../examples/service/pages/host-gate.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const targets = [{ url: "http://slow.test/" }, { url: "http://93.184.215.14/" }, { url: "http://10.0.0.1/" }];

test("a name server that is silent holds a submit up for two seconds, and what it did not say is left for later", async () => {
  const gate = hostGate(false, () => {});
  const found = findRefusedTarget(targets.slice(0, 2), gate);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect([await found, vi.getTimerCount()]).toEqual([undefined, 0]);
});

test("the first refused target is told, beside one whose name is never resolved", async () => {
  const found = findRefusedTarget(
    targets,
    hostGate(false, () => {}),
  );
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await found).toEqual({ index: 2, reason: "host not allowed" });
});

test("where private addresses are allowed no name is looked up", async () => {
  const resolve = vi.fn();
  expect(await findRefusedTarget(targets, hostGate(true, resolve))).toBe(undefined);
  expect([resolve.mock.calls, vi.getTimerCount()]).toEqual([[], 0]);
});
