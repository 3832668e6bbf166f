import { randomUUID } from "node:crypto";
import { BatchError } from "../errors.js";
import type { BatchRunner } from "../runner/batch-runner.js";
import type { Caller } from "../target.js";
import { type FileRun, say } from "./file-run.js";
import { createdText, shortId, statusText } from "./job-text.js";
import type { Input } from "./read-inputs.js";

/** A job that a run shows. */
export interface RunJob {
  id: string;
  name: string;
  /** Done by an earlier run, and only shown by this one. */
  reused: boolean;
}

type Runner = BatchRunner<Caller, object>;

/** Submits each input as a job, in order, and says what became of it. Resolves to all jobs of the run, the resumed ones first. */
export async function submitInputs(
  run: FileRun,
  runner: Runner,
  inputs: readonly Input[],
  resumed: readonly RunJob[],
): Promise<RunJob[]> {
  const jobs = new Map(resumed.map((job) => [job.id, job]));
  for (const input of inputs) {
    const submitted = await submit(run, runner, input);
    if (submitted === undefined) {
      say(run, `${input.name}: not started`);
      continue;
    }
    const twin = jobs.get(submitted.id);
    if (twin !== undefined) {
      // The lines of a job that is taken up again say the file's name, where one of this run's is its.
      if (resumed.includes(twin)) run.lines?.name(twin.id, input.name);
      say(run, `${input.name}: has the targets of ${twin.name}, and is the same job`);
      continue;
    }
    const job = { ...submitted, name: input.name };
    jobs.set(job.id, job);
    run.lines?.name(job.id, job.name);
    if (job.reused) await takeOver(run, job);
    else follow(run, job, input.targets.length);
  }
  return [...jobs.values()];
}

/** Undefined once the runner is closed. */
async function submit({ options }: FileRun, runner: Runner, { targets }: Input) {
  const caller = { name: options.caller };
  const key = options.fresh ? { idempotencyKey: randomUUID() } : {};
  try {
    return await runner.submit({ caller, callerClass: "cli", targets, ...key });
  } catch (error) {
    if (error instanceof BatchError && error.code === "ERR_CLOSED") return undefined;
    throw error;
  }
}

function follow(run: FileRun, { id, name }: RunJob, targets: number): void {
  run.board.add(id, name, targets);
  say(run, `${name}: job ${shortId(id)}, ${targets} ${targets === 1 ? "target" : "targets"}`);
}

async function takeOver(run: FileRun, { id, name }: RunJob): Promise<void> {
  run.lines?.storedEarlier(id);
  const job = await run.store.findJob(id);
  if (job === undefined) return;
  say(run, `${name}: job ${shortId(id)} of ${createdText(job)} is reused (${statusText(job)}); --fresh runs it anew`);
}
