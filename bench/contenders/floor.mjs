// A plain loop over raw better-sqlite3: exactly the statements and transactions of fairbatch with one worker, and nothing else.
// Inside the time: the same as for fairbatch, from the first submit's transaction to the last target's.
import { join } from "node:path";
import { contend, timed } from "../support/contend.mjs";
import { openRecording, take } from "../support/recording.mjs";
import { expectStored } from "../support/stored-work.mjs";

await contend(async ({ folder, targets, recording, synchronous }) => {
  const path = join(folder, "floor.sqlite");
  const { database, steps } = await openRecording({ path, recording, synchronous });
  const measured = await timed(targets, () => {
    for (const step of steps) take(step);
  });
  database.close();
  expectStored(path, targets);
  // A plain loop never lets go of the event loop.
  return { ...measured, longestGapMs: undefined };
});
