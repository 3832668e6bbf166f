/** `840 µs`, `12 ms`, `1.24 s`, `2 min 05 s`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${Math.max(0, Math.round(ms * 1_000))} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${pad(Math.floor((ms % 60_000) / 1_000))} s`;
  return `${Math.floor(ms / 3_600_000)} h ${pad(Math.floor((ms % 3_600_000) / 60_000))} min`;
}

/** A time since the inspector was made, as on a stopwatch: `1:04.250`. */
export function stopwatch(ms: number, digits = 3): string {
  const sign = ms < 0 ? "−" : "";
  const whole = Math.round(Math.abs(ms) * 10 ** (digits - 3)) / 10 ** (digits - 3);
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor((whole % 3_600_000) / 60_000);
  const seconds = ((whole % 60_000) / 1_000).toFixed(digits).padStart(digits === 0 ? 2 : 3 + digits, "0");
  return hours === 0 ? `${sign}${minutes}:${seconds}` : `${sign}${hours}:${pad(minutes)}:${seconds}`;
}

function pad(count: number): string {
  return String(count).padStart(2, "0");
}
