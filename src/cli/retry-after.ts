/** The forms of date that HTTP servers send; `Date.parse` alone takes almost anything for a date. */
const HTTP_DATE = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** A server that answers 0, or a time gone by, again and again would be asked without a pause. */
const SHORTEST_MS = 1_000;

/** The wait that a `Retry-After` header asks for, in milliseconds, 1 s at least; undefined where there is none or it is nonsense. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  const waitMs = askedWaitMs(header?.trim() ?? "", nowMs);
  return Number.isNaN(waitMs) ? undefined : Math.max(SHORTEST_MS, waitMs);
}

function askedWaitMs(text: string, nowMs: number): number {
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  return HTTP_DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
}
