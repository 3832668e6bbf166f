import type { Batch } from "../../src/index.js";

/** The batches that are submitted: few, so that equal ones meet. `stored` is their normal form (R1.2), written by hand. */
export interface SampleBatch {
  targets: unknown;
  stored: { url: string; options: string }[];
  idempotencyKey?: string;
  /** What the submit rejects with, where the batch is malformed (R1.1). */
  rejects?: string;
}

const plain = (...urls: string[]): SampleBatch => ({
  targets: urls.map((url) => ({ url })),
  stored: urls.map((url) => ({ url, options: "{}" })),
});

const malformed = (targets: unknown, rejects: string): SampleBatch => ({ targets, stored: [], rejects });

export const BATCHES: Record<string, SampleBatch> = {
  "1 target": plain("u:1"),
  "2 targets": plain("u:1", "u:2"),
  "3 targets": plain("é:1", "é:2", "é:3"),
  "4 targets": plain("v:1", "v:2", "v:3", "v:4"),
  "with options": {
    targets: [{ url: "o:1", options: { jq: "", recover: false, z: 1, mode: "é", a: [null] } }, { url: "o:2" }],
    stored: [
      { url: "o:1", options: '{"mode":"é","a":[null],"z":1}' },
      { url: "o:2", options: "{}" },
    ],
  },
  "the same with options": {
    targets: [
      { url: "o:1", options: { a: [null], mode: "é", z: 1, grep: undefined } },
      { url: "o:2", options: {} },
    ],
    stored: [
      { url: "o:1", options: '{"mode":"é","a":[null],"z":1}' },
      { url: "o:2", options: "{}" },
    ],
  },
  "own key": { ...plain("k:1", "k:2"), idempotencyKey: "k" },
  "own key, other targets": { ...plain("k:3"), idempotencyKey: "k" },
  "no targets": malformed([], "ERR_NO_TARGETS"),
  "targets that are no array": malformed({ length: 1 }, "ERR_NO_TARGETS"),
  "a target without url": malformed([{ url: "u:1" }, {}], "ERR_INVALID_TARGET 1"),
  "a target with a date": malformed([{ url: "u:1", options: { at: new Date(0) } }], "ERR_INVALID_TARGET 0"),
};

export type BatchName = keyof typeof BATCHES & string;

/** What makes a batch equal to another of its caller (R1.2). */
export function subjectOf({ stored, idempotencyKey }: SampleBatch): string {
  return idempotencyKey === undefined ? JSON.stringify(stored) : `key ${idempotencyKey}`;
}

export function batchOf(caller: string, { targets, idempotencyKey }: SampleBatch, signal?: AbortSignal): Batch {
  return {
    ...{ caller: { name: caller }, callerClass: `class of ${caller}`, targets: targets as Batch["targets"] },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(signal === undefined ? {} : { signal }),
  };
}
