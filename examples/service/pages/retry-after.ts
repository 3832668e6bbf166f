/** A server that answers 0, or a time gone by, would be asked without a pause. */
const SHORTEST_MS = 1_000;

/** The wait that a `Retry-After` header asks for, in seconds or as a date; undefined where there is none or it is nonsense. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const waitMs = /^\d{1,10}$/.test(header) ? Number(header) * 1000 : dateMs(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(SHORTEST_MS, waitMs);
}

/** `Date.parse` alone takes almost anything for a date. */
function dateMs(header: string): number {
  return /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header) ? Date.parse(header) : Number.NaN;
}
