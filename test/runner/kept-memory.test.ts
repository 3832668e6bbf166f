import { expect, test } from "vitest";
import { startRunner } from "../support/runner.js";

// xstate keeps something for ever of each kind of event that an actor was ever sent.
test("the kinds of events do not grow with the number of jobs, ended, failed or cancelled", async () => {
  const kinds = new Set<string>();
  const { runner, submit } = await startRunner({
    fetch: ({ url }) => {
      if (url.startsWith("bad")) throw new Error("bad");
      return { content: url };
    },
    inspect: (event) => {
      if (event.type === "@xstate.event") kinds.add(event.event.type);
    },
  });
  for (let job = 0; job < 100; job++) {
    await submit("ann", `good-${job}`, `bad-${job}`);
    await runner.cancel(await submit("bob", `cancelled-${job}`));
    await runner.idle();
  }
  expect([...kinds]).toEqual(expect.arrayContaining(["target.stored", "xstate.done.actor.job"]));
  expect(kinds.size).toBeLessThan(30);
});
