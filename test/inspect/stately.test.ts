import { once } from "node:events";
import type { AddressInfo } from "node:net";
import {
  createWebSocketInspector,
  createWebSocketReceiver,
  type StatelyActorEvent,
  type StatelyInspectionEvent,
} from "@statelyai/inspect";
import { createInspectorServer } from "@statelyai/inspect/server";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { type AnyStateMachine, createMachine } from "xstate";
import { redacted } from "../../src/inspect/index.js";
import { machineView } from "../../src/inspect/machine-view.js";
import type { StateView } from "../../src/inspect/protocol.js";
import { jobMachine } from "../../src/machines/index.js";
import { heldFetch, untilTerminal } from "../../src/testing/index.js";
import { startRunner } from "../support/runner.js";

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Stately's own server, a receiver of theirs that listens, and an inspector of theirs that sends to it. */
async function startStately() {
  const port = await freePort();
  const server = createInspectorServer({ port, autoOpen: false });
  const received: StatelyInspectionEvent[] = [];
  let onReceived = () => {};
  createWebSocketReceiver({ server: `ws://localhost:${port}` }).subscribe((event) => {
    received.push(event);
    onReceived();
  });
  const inspector = createWebSocketInspector({ url: `ws://localhost:${port}` });
  onTestFinished(() => {
    inspector.stop();
    server.stop();
  });
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        onReceived = resolve;
      });
    }
  };
  return { inspector, received, until };
}

test("redacted: Stately's inspector gets actors, events and snapshots of a run over a web socket, and no secret", async () => {
  const { inspector, received, until } = await startStately();
  const held = heldFetch();
  const { submit, runner } = await startRunner({ fetch: held.fetch, inspect: redacted(inspector.inspect) });
  const id = await submit("s3cret", "https://s3cret.example/1", "https://s3cret.example/2");
  (await held.next()).succeed({ content: "s3cret" });
  (await held.next()).fail(new Error("s3cret"));
  await untilTerminal(runner, id);
  const actors = () => received.filter((event): event is StatelyActorEvent => event.type === "@xstate.actor");
  const snapshotsOf = (sessionId: string) =>
    received.flatMap((event) =>
      event.type === "@xstate.snapshot" && event.sessionId === sessionId ? [event.snapshot] : [],
    );
  await until(() =>
    actors().some(({ name, sessionId }) => name === "job" && snapshotsOf(sessionId).at(-1)?.status === "done"),
  );

  const [scheduler, worker, job] = ["scheduler", "worker-1", "job"].map(
    (name) => actors().find((actor) => actor.name === name)!,
  );
  expect([scheduler!.parentId, worker!.parentId, job!.parentId]).toEqual([
    undefined,
    scheduler!.sessionId,
    scheduler!.sessionId,
  ]);
  const values = snapshotsOf(job!.sessionId).map((snapshot) => (snapshot as { value?: unknown }).value);
  expect([...values.slice(0, 3), values.at(-1)]).toEqual([
    { queued: "ready" },
    { queued: "starting" },
    { running: "inFlight" },
    "partial",
  ]);
  const sent = received.flatMap((event) =>
    event.type === "@xstate.event" && event.sessionId === job!.sessionId ? [event.event.type] : [],
  );
  expect([...sent.slice(0, 3), sent.at(-1)]).toEqual([
    "xstate.init",
    "target.taken",
    "target.started",
    "target.stored",
  ]);
  expect(JSON.stringify(received)).not.toContain("s3cret");
});

/** States and transitions; on their way, the names within an object are sorted. */
function drawn(machine: AnyStateMachine) {
  const { root, transitions } = machineView("job", machine);
  const within = ({ states, ...state }: StateView): object[] => [state, ...states.flatMap(within)];
  const keyOf = (item: object) =>
    JSON.stringify([Reflect.get(item, "path") ?? Reflect.get(item, "from"), Reflect.get(item, "event")]);
  const sorted = <T extends object>(items: T[]) =>
    items.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0));
  return { states: sorted(within(root)), transitions: sorted(transitions) };
}

test("redacted: the job machine can be built again from the definition that Stately's receiver is sent", async () => {
  const { inspector, received, until } = await startStately();
  const held = heldFetch();
  const { submit } = await startRunner({ fetch: held.fetch, inspect: redacted(inspector.inspect) });
  await submit("ann", "u:1");
  const definition = () =>
    received.flatMap((event) => (event.type === "@xstate.actor" && event.name === "job" ? [event.definition] : []))[0];
  await until(() => definition() !== undefined);
  const rebuilt = createMachine(JSON.parse(definition()!));
  expect(drawn(rebuilt)).toEqual(drawn(jobMachine));
  expect(drawn(rebuilt).states.length).toBeGreaterThan(15);
});
