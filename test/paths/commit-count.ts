import { closeSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Counts the transactions that were committed to a SQLite file, by whichever connection, as its write-ahead log has them:
 * the last frame of each, and no other, says how many pages the file has after it.
 */
export class CommitCount {
  readonly #log: number;
  #salts: Buffer = Buffer.alloc(8);
  #offset = HEADER_BYTES;
  #commits = 0;

  constructor(path: string) {
    this.#log = openSync(`${path}-wal`, "r");
  }

  /** How many there have been so far. */
  count(): number {
    const header = this.#read(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES) return 0;
    const [pageBytes, salts] = [header.readUInt32BE(8), header.subarray(16, 24)];
    // After a checkpoint the log is written from its beginning again, under other salts.
    if (!salts.equals(this.#salts)) this.#offset = HEADER_BYTES;
    this.#salts = salts;
    for (;;) {
      const frame = this.#read(this.#offset, FRAME_HEADER_BYTES);
      if (frame.length < FRAME_HEADER_BYTES || !frame.subarray(8, 16).equals(salts)) return this.#commits;
      if (frame.readUInt32BE(4) > 0) this.#commits++;
      this.#offset += FRAME_HEADER_BYTES + pageBytes;
    }
  }

  close(): void {
    closeSync(this.#log);
  }

  #read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(this.#log, buffer, 0, bytes, offset));
  }
}
