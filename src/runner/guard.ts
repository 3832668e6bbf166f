/** Runs user code so that nothing it throws, and nothing it rejects with later, reaches us (R8). */
export function callGuarded(call: () => unknown): void {
  try {
    const answer = call();
    if (typeof answer === "object" && answer !== null) void Promise.resolve(answer).then(undefined, ignore);
  } catch {
    // What user code throws is its own affair.
  }
}

/** What `read` returns, or undefined where it throws: for properties of values that may be hostile. */
export function readGuarded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function ignore(): void {}
