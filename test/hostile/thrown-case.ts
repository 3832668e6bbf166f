import { SECRET } from "./scene.js";

/** A value that a fetch throws, and what becomes of its target. */
export interface ThrownCase {
  name: string;
  /** In a box, since a promise of a thenable or of a revoked proxy cannot be kept. */
  make(): { thrown: unknown };
  /** `failed: <error>`, with `(<hint>)` where one is stored; or `later <ms>`. */
  stored: string;
  /** What is stored where the runner was closing meanwhile; otherwise the target stays pending. */
  storedAtClose?: string;
}

export const FAULT = "failed: internal error";
export const SAID = `failed: ${SECRET}`;

export function throws(name: string, make: () => unknown, stored: string, storedAtClose?: string): ThrownCase {
  return { name, make: () => ({ thrown: make() }), stored, ...(storedAtClose === undefined ? {} : { storedAtClose }) };
}
