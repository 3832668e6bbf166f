import type { JobView } from "./protocol.js";
import { Ring } from "./ring.js";

interface EndedJob {
  job: JobView;
  place: number | undefined;
}

/** The jobs that ended last. */
export class EndedJobs {
  readonly #jobs: Ring<EndedJob>;
  readonly #lost: string[] = [];
  #told = 0;
  #watched = false;

  constructor(size: number) {
    this.#jobs = new Ring(size);
  }

  add(job: JobView, place: number | undefined): void {
    const lost = this.#jobs.add({ job, place });
    if (lost === undefined || !this.#watched) return;
    const wasTold = this.#jobs.added - this.#jobs.size <= this.#told;
    if (wasTold) this.#lost.push(lost.job.id);
  }

  watch(watched: boolean): void {
    this.#watched = watched;
    this.#lost.length = 0;
  }

  /** For whoever comes late; what changed until now is told with it. */
  all(): JobView[] {
    this.changes();
    return this.#jobs.newest(this.#jobs.added).map(({ job }) => job);
  }

  /** Those that came since it was last asked, and the ids of those that are kept no more. */
  changes(): { jobs: JobView[]; lost: string[] } {
    const came = this.#jobs.added - this.#told;
    this.#told = this.#jobs.added;
    return { jobs: this.#jobs.newest(came).map(({ job }) => job), lost: this.#lost.splice(0) };
  }

  idAt(place: number): string | undefined {
    return this.#jobs.newest(this.#jobs.added).findLast((ended) => ended.place === place)?.job.id;
  }
}
