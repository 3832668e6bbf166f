/**
 * Time that only goes on, made of a clock that may be set and may fail to answer: what it takes back counts as no time at all,
 * and `standIn` goes on from its last answer for as long as it has none.
 */
export function steadyTime(read: () => number | undefined, standIn: () => number): () => number {
  let steadyMs: number | undefined;
  let lastReading: number | undefined;
  let silence: { sinceMs: number; beganMs: number } | undefined;

  const whileSilent = () => {
    const nowMs = standIn();
    silence ??= { sinceMs: nowMs, beganMs: steadyMs ?? nowMs };
    return silence.beganMs + Math.max(0, nowMs - silence.sinceMs);
  };
  const afterReading = (reading: number) => {
    const fromMs = silence?.beganMs ?? steadyMs ?? reading;
    const goneMs = Math.max(0, reading - (lastReading ?? reading));
    lastReading = reading;
    silence = undefined;
    return fromMs + goneMs;
  };
  return () => {
    const reading = read();
    const nowMs = reading === undefined ? whileSilent() : afterReading(reading);
    steadyMs = Math.max(steadyMs ?? nowMs, nowMs);
    return steadyMs;
  };
}
