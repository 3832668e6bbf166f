import { type Service, startService } from "./service.js";
import { readSettings, SettingError } from "./settings.js";

/** As a shell counts a process that a signal ended. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

try {
  drainOnSignal(await startService(readSettings(process.env)));
} catch (error) {
  process.stderr.write(`error: ${error instanceof SettingError ? error.message : startFailure(error)}\n`);
  process.exit(error instanceof SettingError ? 2 : 1);
}

/** The first signal drains the service and ends the process with 0; the second ends it at once. */
function drainOnSignal(service: Service): void {
  let draining = false;
  for (const [signal, exitCode] of Object.entries(EXIT_CODES)) {
    process.on(signal, () => {
      if (draining) process.exit(exitCode);
      draining = true;
      service.drain().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    });
  }
}

/** The code alone: a message may hold a path or an address. */
function startFailure(error: unknown): string {
  const { code = "unknown" } = error as { code?: string };
  return `the service could not be started (${code})`;
}
