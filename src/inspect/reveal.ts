const REVEALABLE = ["url", "options", "result", "caller", "error", "hint"] as const;

/** What an inspector sees only where it is asked for. */
export type Revealable = (typeof REVEALABLE)[number];

/** Throws a `RangeError` for a name that is none of the fields: a slip would look like privacy. */
export function readReveal(fields: readonly Revealable[] = []): ReadonlySet<Revealable> {
  for (const field of fields) {
    if (!REVEALABLE.includes(field)) throw new RangeError(`reveal: one of ${REVEALABLE.join(", ")} each`);
  }
  return new Set(fields);
}

export function isRevealable(name: string): name is Revealable {
  return (REVEALABLE as readonly string[]).includes(name);
}
