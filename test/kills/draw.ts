import type { SeededRandom } from "../support/seeded-random.js";
import type { Aim, BatchOfPages } from "./life.js";

const CALLERS = ["ann", "bob", "cat", "dan"];
const WORDS = ["fast", "fast", "fast", "fast", "fast", "fast", "slow", "slow", "gone", "busy"];

/** When the next process is to die: anywhere, but more often where something is being written. The first one makes the tables. */
export function drawAim(random: SeededRandom, life: number): Aim {
  const aim: Aim = { moment: "owned", nth: 1, statements: 0, edge: "before", afterMs: 0, drains: random(2) === 0 };
  const edge = random(2) === 0 ? "before" : "after";
  switch (life === 0 ? random(3) : random(8)) {
    case 0:
      return { ...aim, moment: "start", statements: 1 + random(life === 0 ? 45 : 16), edge };
    case 1:
      return { ...aim, moment: "submit", nth: 1 + random(12), statements: 1 + random(25), edge };
    case 2:
    case 3:
      return { ...aim, moment: "store", nth: 1 + random(60), statements: 1 + random(8), edge };
    case 4:
      return { ...aim, moment: "close", nth: 1 + random(40), statements: random(2) * (1 + random(8)), edge };
    case 5:
      return { ...aim, moment: "closing", nth: 1 + random(40), afterMs: random(6) };
    case 6:
      return { ...aim, moment: "alive", afterMs: random(80) };
    default:
      return { ...aim, moment: "owned", afterMs: random(300) };
  }
}

/** What the callers submit in one life, one after the other; no two jobs of a file are equal. */
export function drawBatches(random: SeededRandom, life: number): BatchOfPages[] {
  return Array.from({ length: 24 }, (_, number) => {
    const pages = random(4) === 0 ? 1 + random(30) : 1 + random(8);
    const word = () => (random(60) === 0 ? "never" : WORDS[random(WORDS.length)]);
    return {
      caller: CALLERS[number % CALLERS.length] as string,
      urls: Array.from({ length: pages }, (_, index) => `/${word()}/${life}/${number}/${index}`),
    };
  });
}
