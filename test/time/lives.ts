import { RetryLaterError, type RunnerConfig } from "../../src/index.js";
import type { Life } from "./life-on-clock.js";

/** A state of a runner in which the wall clock is set, by `step`, and what happens before and after. */
interface LifeStory {
  state: string;
  config?: Partial<RunnerConfig>;
  live(life: Life, step: () => void): Promise<void>;
}

export const LIVES: LifeStory[] = [
  {
    state: "queued",
    async live({ next, submit, pass }, step) {
      await submit("first");
      const first = await next();
      await submit("queued");
      step();
      await pass(1_500);
      first.succeed();
      const second = await next();
      await pass(250);
      second.succeed();
    },
  },
  {
    state: "in flight",
    async live({ next, submit, pass }, step) {
      await submit("a", "b");
      const a = await next();
      await pass(700);
      step();
      await pass(50);
      a.fail(new Error("nope"));
      const b = await next();
      await pass(3);
      b.succeed();
    },
  },
  {
    state: "waiting to retry",
    config: { retryForMs: 5_000 },
    async live({ next, submit, pass }, step) {
      await submit("busy");
      (await next()).fail(new RetryLaterError());
      await pass(500);
      step();
      await pass(1_500);
      (await next()).fail(new RetryLaterError("later", { afterMs: 60_000 }));
      await pass(2_999);
      await pass(1);
      (await next()).fail(new RetryLaterError("at the end of the window"));
      await pass(1);
      (await next()).fail(new RetryLaterError("past it"));
    },
  },
  {
    state: "saving a refused write",
    config: { retryForMs: 5_000 },
    async live({ refused, next, submit, pass }, step) {
      await submit("a");
      const a = await next();
      await pass(10);
      refused.add("settle");
      a.succeed();
      await pass(1_000);
      step();
      await pass(1_000);
      await pass(2_000);
      refused.clear();
      await pass(1_999);
      await pass(1);
    },
  },
  {
    state: "saving a refused putting back",
    config: { retryForMs: 50_000 },
    async live({ refused, next, submit, pass }, step) {
      await submit("a");
      refused.add("defer");
      (await next()).fail(new RetryLaterError("later", { afterMs: 10_000 }));
      await pass(1_000);
      step();
      await pass(1_000);
      refused.clear();
      await pass(2_000);
      await pass(6_000);
      (await next()).succeed();
    },
  },
  {
    state: "going on from memory",
    config: { retryForMs: 4_000 },
    async live({ refused, next, submit, pass }, step) {
      await submit("a");
      const a = await next();
      refused.add("settle");
      a.succeed();
      for (let time = 0; time < 3; time++) await pass(2_000);
      step();
      await pass(1_999);
      refused.clear();
      await pass(1);
    },
  },
  {
    state: "draining after a cancel",
    async live({ runner, next, submit, pass }, step) {
      const id = await submit("a", "b");
      const a = await next();
      await pass(400);
      await runner.cancel(id);
      step();
      await pass(600);
      a.succeed();
    },
  },
  {
    state: "timing out",
    config: { targetTimeoutMs: 1_000 },
    async live({ next, submit, pass }, step) {
      await submit("a", "b");
      await next();
      await pass(999);
      step();
      await pass(1);
      const b = await next();
      await pass(999);
      b.succeed();
    },
  },
  {
    state: "closing with a time limit",
    async live({ runner, said, next, submit, pass }, step) {
      await submit("a");
      await next();
      const closed = runner.close({ drain: true, timeoutMs: 1_000 }).then(() => said.push("closed"));
      await pass(500);
      step();
      await pass(499);
      await pass(1);
      await closed;
    },
  },
];
