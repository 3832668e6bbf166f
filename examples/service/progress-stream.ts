import { Readable } from "node:stream";
import type { Job } from "fairbatch";

/**
 * Server-sent events of a watched job, with a comment now and then so that nobody between takes the connection for dead.
 * A slow reader gets the newest state; one that goes away ends the watch at once.
 */
export function progressStream(states: AsyncIterable<Job>, heartbeatMs: number): Readable {
  const watch = states[Symbol.asyncIterator]();
  let asked = false;
  const stream = new Readable({
    // Nothing is taken ahead: what waits here would be old by the time it is read.
    highWaterMark: 1,
    read() {
      if (asked) return;
      asked = true;
      watch.next().then(
        ({ done, value }) => {
          asked = false;
          // Nothing may come after the end, which a slow reader takes long to see.
          if (done) clearInterval(heartbeat);
          stream.push(done ? null : eventOf(value));
        },
        (error: Error) => stream.destroy(error),
      );
    },
    // A generator could not be ended while it waits; a watch can.
    destroy(error, done) {
      clearInterval(heartbeat);
      void watch.return?.();
      done(error);
    },
  });
  const heartbeat = setInterval(() => {
    if (stream.readableLength === 0) stream.push(": still here\n\n");
  }, heartbeatMs);
  return stream;
}

function eventOf({ caller: _, callerClass: __, ...job }: Job): string {
  return `event: job\ndata: ${JSON.stringify(job)}\n\n`;
}
