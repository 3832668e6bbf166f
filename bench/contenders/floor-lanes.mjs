// As many lanes as workers, each waiting as long as a fetch takes and then storing one target by itself: the plain loop's
// statements and transactions, none shared. Inside the time: submits, waits and stores.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { contend, timed } from "../support/contend.mjs";
import { openRecording, take } from "../support/recording.mjs";
import { expectStored } from "../support/stored-work.mjs";

await contend(async ({ folder, targets, recording, synchronous, workers, fetchMs }) => {
  const path = join(folder, "lanes.sqlite");
  const { database, steps } = await openRecording({ path, recording, synchronous });
  const submitted = steps.findLastIndex(({ submits }) => submits) + 1;
  const commitsATarget = steps.slice(submitted).filter(({ ends }) => ends).length / targets;
  let next = 0;
  let commits = 0;
  const runTo = (isEnough) => {
    while (next < steps.length && !isEnough()) {
      if (steps[next].ends) commits++;
      take(steps[next++]);
    }
  };
  const lane = async () => {
    while (next < steps.length) {
      await setTimeout(fetchMs);
      const enough = commits + commitsATarget;
      runTo(() => commits >= enough);
    }
  };
  const measured = await timed(targets, async (submitted) => {
    runTo(() => next >= submitted && database.inTransaction === false);
    submitted();
    await Promise.all(Array.from({ length: workers }, lane));
  });
  database.close();
  expectStored(path, targets);
  return measured;
});
