import { isTargetError } from "../errors.js";

export const STATUS_CLASSES = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** The class of the HTTP status of a `TargetError`; `none` for whatever is no such error or carries no such status. */
export function statusClassOf(thrown: unknown): StatusClass {
  try {
    return isTargetError(thrown) ? classOf(thrown.status) : "none";
  } catch {
    // Anything may be thrown, and a getter of it may throw too.
    return "none";
  }
}

function classOf(status: unknown): StatusClass {
  if (!Number.isInteger(status)) return "none";
  const hundreds = Math.floor((status as number) / 100);
  return STATUS_CLASSES[hundreds] ?? "none";
}
