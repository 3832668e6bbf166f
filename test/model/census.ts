/** Counts how often each kind of thing happened, so that nobody has to believe that a test reaches it. */
export class Census {
  readonly #counts = new Map<string, number>();
  #sequences = 0;
  #steps = 0;
  #ms = 0;

  readonly note = (kind: string) => {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  };

  add(run: { sequences: number; steps: number; ms: number }): void {
    this.#sequences += run.sequences;
    this.#steps += run.steps;
    this.#ms += run.ms;
  }

  /** Those of these kinds that never happened. */
  missing(kinds: readonly string[]): string[] {
    return kinds.filter((kind) => !this.#counts.has(kind));
  }

  get table(): string {
    const counts = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
    const head = `${this.#sequences} sequences, ${this.#steps} steps, ${(this.#ms / 1000).toFixed(1)} s`;
    return `${head}\n${counts.join("; ")}`;
  }
}

/** What must happen at least once among a thousand sequences. */
export const KINDS = [
  ...["submit", "cancel", "touch", "close", "open", "died", "cancel elsewhere", "lose"],
  ...["reply: created", "reply: reused", "reply: ERR_CLOSED", "reply: ERR_NO_TARGETS", "reply: ERR_INVALID_TARGET"],
  ...[
    "reply: ERR_TOO_MANY_TARGETS",
    "reply: ERR_CALLER_BUSY",
    "reply: ERR_BUSY",
    "reply: TypeError",
    "reply: its reason",
  ],
  ...["reply: StoreTrouble", "reply: cancel true", "reply: cancel false", "reply: touched", "reply: closed"],
  ...["cancelled while in flight", "cancelled while ready", "cancelled while waiting", "cancelled while pausing"],
  ...["found cancelled at a start", "stored after a cancel", "timed out", "late answer dropped"],
  ...[
    "retry window over",
    "wait cut by the window",
    "start refused",
    "settle refused",
    "defer refused",
    "admit refused",
  ],
  ...["recover refused", "sweep refused", "touch refused", "cancel refused", "start given up", "outcome from memory"],
  ...["end from memory", "late end written", "evicted", "swept", "interrupted", "interrupted once too often"],
  ...["resumed queued", "resumed running", "resumed and waits", "closed while in flight", "left pending by an abort"],
  ...["settle and start", "settle and start refused", "settle and start, which is refused"],
  "goes on with the same job, started",
  ...["goes on with another job, started", "goes on with another job, gone", "goes on with another job, to be started"],
  ...[
    "answered in spite of the abort",
    "held write tried at close",
    "drained",
    "close limit reached",
    "left running at close",
  ],
];

/** What only happens while writes are pending. */
export const INTERLEAVED_KINDS = [
  "withdraw",
  "cancelled while turn",
  "cancelled while writing",
  "put back unfetched, cancelled",
  "put back unfetched, closing",
];
