/** Runs user code so that nothing it throws, and nothing it rejects with later, reaches us (R8). */
export function callGuarded(call: () => unknown): void {
  try {
    withoutRejection(call());
  } catch {
    // What user code throws is its own affair.
  }
}

/** The answer of user code, as it is; where it is a promise, nobody has to handle its rejection any more. */
export function withoutRejection<T>(answer: T): T {
  if (typeof answer === "object" && answer !== null) void ignoreRejection(answer);
  return answer;
}

async function ignoreRejection(answer: object): Promise<void> {
  try {
    // Not by its own `then`, which may throw.
    await answer;
  } catch {
    // Nobody waits for it.
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
