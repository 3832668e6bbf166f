import type { BatchRunner } from "../../src/index.js";
import { settled } from "../../src/testing/index.js";
import { revoked, thenable, throwing, trapped, withThrowing } from "./odd-values.js";
import { SECRET } from "./scene.js";
import type { Api } from "./transcript.js";

/** What a hook, a level method, a subscriber or an observer may do or return that changes nothing. */
export const MISBEHAVIOURS: [string, (api: Api) => unknown][] = [
  ["throws an Error", throwing],
  ["throws undefined", () => thrown(undefined)],
  ["throws a revoked proxy", () => thrown(revoked())],
  ["throws a trapped proxy", () => thrown(trapped())],
  ["rejects", async () => throwing()],
  ["rejects with undefined", () => Promise.reject(undefined)],
  ["rejects with a trapped proxy", () => Promise.reject(trapped())],
  ["rejects later", () => settled().then(throwing)],
  ["rejects by a promise with a `then` of its own", () => Object.assign(Promise.reject(SECRET), thenable(throwing))],
  ["never resolves", () => new Promise(() => {})],
  ["returns a thenable that throws", () => thenable(throwing)],
  ["returns a thenable that never settles", () => thenable(() => {})],
  [
    "returns a thenable that rejects",
    () => thenable((_resolve: unknown, reject: (why: unknown) => void) => reject(SECRET)),
  ],
  ["returns a `then` that throws when it is read", () => withThrowing({}, "then")],
  ["returns a function with a throwing `then`", () => withThrowing(() => {}, "then")],
  ["returns a revoked proxy", () => revoked()],
  ["returns a trapped proxy", () => trapped()],
  ["returns a generator", () => [throwing].values()],
];

/** Calls of the runner that change no job, from wherever it may call the host. */
const CALLS: [string, (runner: BatchRunner, id: string) => unknown][] = [
  ["status", (runner, id) => runner.status(id)],
  ["results", (runner, id) => runner.results(id)[Symbol.asyncIterator]().next()],
  ["watch", (runner, id) => runner.watch(id)[Symbol.asyncIterator]().next()],
  ["watch and returns", (runner, id) => runner.watch(id)[Symbol.asyncIterator]().return?.()],
  ["touch of no job", (runner) => runner.touch("none")],
  ["cancel of no job", (runner) => runner.cancel("none")],
  ["cancel of no id", (runner) => runner.cancel({} as string)],
  ["a submit that is refused", (runner) => runner.submit({ caller: { name: "x" }, callerClass: "", targets: [] })],
  ["a submit of nothing", (runner) => runner.submit(undefined as never)],
  ["a close that is refused", (runner) => runner.close({ timeoutMs: -1 })],
  ["idle", (runner) => runner.idle()],
  ["gauges", (runner) => runner.gauges.getSnapshot()],
];

/** The same calls, as something to do at each call of the host: the promise is handed back. */
export const CALLING: typeof MISBEHAVIOURS = CALLS.map(([name, call]) => [
  `calls ${name}`,
  ({ runner, ids }) => (runner === undefined ? undefined : call(runner, ids.at(-1) ?? "none")),
]);

function thrown(value: unknown): never {
  throw value;
}
