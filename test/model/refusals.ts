import { methodOf, type Op, type Verdict } from "./world.js";

/** How often the store is to refuse each of its methods from now on. */
export class Refusals {
  readonly #left = new Map<string, number>();

  begin(method: string, times: number): void {
    this.#left.set(method, times);
  }

  end(): void {
    this.#left.clear();
  }

  /** Whether this call is refused, which counts. A store takes nothing from a runner that has given it back, but what anybody may ask. */
  meets({ what, runner, starts }: Op): Verdict {
    const method = methodOf(what);
    if (runner.phase === "closed" && method !== "cancel" && method !== "touch") return "refused";
    if (this.#isDue(method)) return "refused";
    return starts && this.#isDue("start") ? "start refused" : "taken";
  }

  #isDue(method: string): boolean {
    const left = this.#left.get(method) ?? 0;
    this.#left.set(method, left - 1);
    return left > 0;
  }
}
