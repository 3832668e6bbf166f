import { expect, test } from "vitest";
import { runScript } from "../support/run-script.js";
import { Viewer } from "./viewer.js";

const INSPECT = new URL("../../dist/inspect/index.js", import.meta.url).href;

const START = `
const { createLocalInspector } = await import(${JSON.stringify(INSPECT)});
const inspector = createLocalInspector();
const store = await fairbatch.openSqliteStore(":memory:");
const fetch = () => new Promise(() => {});
const runner = await fairbatch.createBatchRunner({ store, fetch, inspect: inspector.inspect });
console.log(await inspector.listen() + " listens");
`;

test("R8: a process ends though its inspector is open and nobody looks", async () => {
  const { ended } = runScript(START);
  expect(await ended).toMatchObject({ code: 0, stderr: "" });
});

test("R8: a process ends though somebody looks", async () => {
  const script = runScript(`${START}
    await runner.submit({ caller: { name: "ann" }, callerClass: "", targets: [{ url: "u:1" }] });
    process.stdin.once("data", () => process.stdin.destroy());
  `);
  await script.printed(" listens");
  const viewer = await Viewer.look(script.stdout().split(" ")[0]);
  await viewer.until(() => viewer.actor("worker-1")?.active[0] === "fetching");
  script.child.stdin!.write("end");
  expect(await script.ended).toMatchObject({ code: 0, stderr: "" });
});
