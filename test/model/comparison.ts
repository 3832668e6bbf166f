import type { Invariants } from "./invariants.js";
import type { RunnerUnderTest } from "./runner-under-test.js";
import { readsOfModel, readsOfRunner, viewOfModel, viewOfRunner } from "./views.js";
import type { Runner, World } from "./world.js";

/** How often the answers of `status` and `list` are compared, where the rows have changed: reading costs more than all else. */
const READS_EVERY = 4;

/** Compares the model with the runner after each step, and looks at what must always hold. */
export class Comparison {
  readonly #seen = { told: 0, fetches: 0 };
  #changes = 0;
  #rows = "";

  constructor(
    readonly world: World,
    readonly real: RunnerUnderTest,
    readonly invariants: Invariants,
  ) {}

  async look(runner: Runner | undefined): Promise<void> {
    const { world, real } = this;
    const stored = real.rows.all();
    const rows = stored.map((job) => ({ ...job, id: real.held.named(job.id) }));
    mustEqual(viewOfModel(world, runner, this.#seen), viewOfRunner(real, rows, this.#seen));
    const inFlight = world.calls.filter((call) => call.open && call.runner === runner && runner.phase !== "closed");
    const fetches = real.calls.slice(this.#seen.fetches).map(({ context }) => context);
    const sight = {
      ...{ rows, told: real.told.slice(this.#seen.told), turns: real.held.turns, troubled: real.held.refusals > 0 },
      fetches: fetches.map(({ jobId, index }) => ({ jobId: real.held.named(jobId), index })),
      inFlight: inFlight.map(({ job }) => job.id),
    };
    this.invariants.look(sight, runner);
    this.#seen.told = real.told.length;
    this.#seen.fetches = real.calls.length;
    const text = JSON.stringify(rows);
    if (text === this.#rows) return;
    this.#rows = text;
    if (this.#changes++ % READS_EVERY === 0) await this.lookAtReads(stored.map(({ id }) => id));
  }

  async lookAtReads(ids = this.real.rows.ids()): Promise<void> {
    mustEqual(readsOfModel(this.world), await readsOfRunner(this.real, ids));
  }
}

/** Throws with the first part in which the two differ. */
function mustEqual<V extends object>(model: V, real: V): void {
  for (const part of Object.keys(model) as (keyof V & string)[]) {
    const expected = JSON.stringify(model[part]);
    const found = JSON.stringify(real[part]);
    if (expected !== found) throw new Error(`${part} differ\n  the rules say: ${expected}\n  the runner:    ${found}`);
  }
}
