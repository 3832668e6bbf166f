import type { BatchStore, LeftJob } from "../../src/index.js";
import { createBatchRunner } from "../../src/index.js";
import { revoked, thenable, throwing, trapped, withChanging, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";

/** What `resume` does for one job that was left, and how that job ends. */
export interface ResumedCase {
  name: string;
  resume(job: LeftJob, store: BatchStore): unknown;
  ends: "done" | "failed: interrupted" | "cancelled";
}

const NAME = `resumed ${MARK}`;

function interrupts(name: string, resume: ResumedCase["resume"]): ResumedCase {
  return { name, resume, ends: "failed: interrupted" };
}

function resumes(name: string, resume: ResumedCase["resume"]): ResumedCase {
  return { name, resume, ends: "done" };
}

export const RESUMED: ResumedCase[] = [
  interrupts("undefined", () => undefined),
  interrupts("null", () => null),
  interrupts("a number", () => 5),
  interrupts("NaN", () => Number.NaN),
  interrupts("true", () => true),
  interrupts("a bigint", () => 5n),
  interrupts("a symbol", () => Symbol(SECRET)),
  interrupts("a string", () => NAME),
  interrupts("a function of that name", () => Object.defineProperty(() => {}, "name", { value: NAME })),
  interrupts("an array", () => [{ name: NAME }]),
  interrupts("an object without a name", () => ({ title: NAME })),
  interrupts("a name that is a number", () => ({ name: 7 })),
  interrupts("a name that is a boxed string", () => ({ name: Object(NAME) })),
  interrupts("a name that throws", () => withThrowing({}, "name")),
  interrupts("a throw", throwing),
  interrupts("a throw of undefined", () => thrown(undefined)),
  interrupts("a throw of a revoked proxy", () => thrown(revoked())),
  interrupts("a rejection", async () => throwing()),
  interrupts("a rejection with undefined", () => Promise.reject(undefined)),
  interrupts("a revoked proxy", () => revoked({ name: NAME })),
  interrupts("a trapped proxy", () => trapped({ name: NAME })),
  interrupts("a promise of a trapped proxy's name", async () => ({ name: trapped() })),
  interrupts("a thenable that throws", () => ({ ...thenable(throwing), name: NAME })),
  resumes("a caller", () => ({ name: NAME })),
  resumes("a promise of a promise of one", async () => (async () => ({ name: NAME }))()),
  resumes("a frozen one", () => Object.freeze({ name: NAME })),
  resumes("one without prototype", () => Object.assign(Object.create(null), { name: NAME })),
  resumes("a proxy of one", () => new Proxy({ name: NAME }, {})),
  resumes("one of no letters", () => ({ name: "" })),
  resumes("one named `__proto__`", () => ({ name: "__proto__" })),
  resumes("one whose name changes between reads", () => withChanging({}, "name", [NAME, 5])),
  resumes("one whose other properties throw", () => withThrowing({ name: NAME }, "workspace", "toJSON")),
  resumes("the job itself, changed", changingTheJob),
  resumes("one, after it looked into the store", lookingIntoTheStore),
  resumes("one, after it tried to make a second runner", makingARunner),
  { name: "one, after it cancelled the job", resume: cancelling, ends: "cancelled" },
];

function thrown(value: unknown): never {
  throw value;
}

function changingTheJob(job: LeftJob): unknown {
  return Object.assign(job, { id: "another", status: "done", targetsTotal: 0, targetsDone: 9, name: NAME });
}

async function lookingIntoTheStore(job: LeftJob, store: BatchStore): Promise<unknown> {
  await Promise.all([store.status(job.id), store.list(), store.findJob(job.id), store.touch(job.id, 5)]);
  return { name: NAME };
}

async function makingARunner(_job: LeftJob, store: BatchStore): Promise<unknown> {
  const { code } = await createBatchRunner({ store, fetch: throwing }).then(throwing, (error) => error);
  return code === "ERR_STORE_IN_USE" ? { name: NAME } : undefined;
}

async function cancelling(job: LeftJob, store: BatchStore): Promise<unknown> {
  await store.cancel(job.id);
  return { name: NAME };
}
