import { Writable } from "node:stream";
import { type Logger, pino } from "pino";

export interface LogLine {
  level: number;
  msg: string;
  jobId?: string;
  code?: string;
  [field: string]: unknown;
}

/** A pino logger at its lowest level, which writes into memory. */
export function logIntoMemory(): { logger: Logger; text(): string; lines(): LogLine[]; warnings(): LogLine[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const lines = () => written.map((line) => JSON.parse(line) as LogLine);
  return {
    logger: pino({ level: "trace" }, stream),
    text: () => written.join(""),
    lines,
    warnings: () => lines().filter((line) => line.level >= 40),
  };
}
