import type { Job } from "../job.js";
import { type FileRun, say } from "./file-run.js";
import { countsText, createdText, shortId } from "./job-text.js";
import type { RunJob } from "./submit-inputs.js";

/** Shows the jobs of an earlier run that this one goes on with, and says so; or that it does not. */
export function takeUpJobs(run: FileRun, left: readonly Job[]): RunJob[] {
  if (!run.options.resume) {
    if (left.length === 1) say(run, "an unfinished job of an earlier run is given up; --resume would go on with it");
    if (left.length > 1) {
      say(run, `${left.length} unfinished jobs of an earlier run are given up; --resume would go on with them`);
    }
    return [];
  }
  if (left.length === 0) say(run, "no unfinished jobs to go on with");
  return left.map((job) => {
    const name = `job ${shortId(job.id)}`;
    run.board.addStored(name, job);
    run.lines?.name(job.id, name);
    say(run, `${name} of ${createdText(job)} goes on: ${countsText(job)}`);
    return { id: job.id, name, reused: false };
  });
}
