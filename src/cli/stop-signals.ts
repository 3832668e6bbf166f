const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
/** As a process ends that `SIGPIPE` kills: whoever read the output has gone. */
export const BROKEN_PIPE = 141;
/** The output cannot be written, for another reason than that nobody reads it. */
const BROKEN_OUTPUT = 1;

/**
 * Calls `stop` with an exit code at the first Ctrl-C, other ending signal or broken pipe; at the next signal the process
 * ends at once. Returns what undoes it.
 */
export function onStop(stop: (exitCode: number) => void): () => void {
  let stopped = false;
  const stopOnce = (exitCode: number) => {
    if (!stopped) stop(exitCode);
    stopped = true;
  };
  const onSignal = (signal: keyof typeof SIGNALS) => {
    if (stopped) process.exit(SIGNALS[signal]);
    stopOnce(SIGNALS[signal]);
  };
  const onBroken = ({ code }: NodeJS.ErrnoException) => stopOnce(code === "EPIPE" ? BROKEN_PIPE : BROKEN_OUTPUT);
  const names = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  for (const name of names) process.on(name, onSignal);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", onBroken);
  return () => {
    for (const name of names) process.off(name, onSignal);
    for (const stream of [process.stdout, process.stderr]) stream.off("error", onBroken);
  };
}
