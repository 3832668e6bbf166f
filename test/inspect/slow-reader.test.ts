import { expect, onTestFinished, test } from "vitest";
import { inspectorServer } from "../../src/inspect/inspector-server.js";
import type { Feed } from "../../src/inspect/viewers.js";
import { Viewer } from "./viewer.js";

/** More than the system keeps for a socket on both of its sides. */
const LARGE = "x".repeat(16 * 1024 * 1024);

test("inspector: who stops reading gets no more than it was being sent, and is greeted anew once it goes on", async () => {
  let happened = 0;
  let tell = () => {};
  const feed: Feed = {
    watch: (next) => {
      tell = next ?? (() => {});
    },
    hello: () => ({ source: "store", machines: {}, nowMs: happened, gone: [LARGE] }),
    update: () => ({ nowMs: happened }),
  };
  const server = inspectorServer({ host: "127.0.0.1", port: 0, feed, targets: undefined });
  onTestFinished(() => server.close());
  const url = await server.listen();
  const slow = await Viewer.look(url);
  slow.response.pause();
  const quick = await Viewer.look(url);
  await quick.until(() => quick.told.length === 1);
  while (happened < 5) {
    happened++;
    tell();
    await quick.until(() => quick.last.nowMs === happened);
  }
  slow.response.resume();
  await slow.until(() => slow.told.length === 2);
  const heard = ({ told }: Viewer) => told.map(({ name, message }) => `${name} ${message.nowMs}`);
  expect(heard(quick).slice(0, 6)).toEqual(["hello 0", "update 1", "update 2", "update 3", "update 4", "update 5"]);
  expect(heard(slow)).toEqual(["hello 0", "hello 5"]);
});
