const TURNS = 10;

/** Lets what can happen without a timer happen: several turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}
