import { inspect } from "node:util";
import { expect } from "vitest";
import { type Batch, BatchError, type BatchRunner } from "../../src/index.js";

/** A host that no error may ever name. */
const SECRET = "secret.example";
export const SECRET_URL = `https://${SECRET}/?token=1`;

/** Submits what the types would not let through. */
export function submitRaw(runner: BatchRunner, batch: unknown): Promise<{ id: string; reused: boolean }> {
  return runner.submit(batch as Batch);
}

/** A batch of one caller, whatever its targets are. */
export function batchOf(targets: unknown, more: object = {}): Batch {
  return { caller: { name: "alice" }, callerClass: "", targets: targets as Batch["targets"], ...more };
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable("it should have been rejected"),
    (error: unknown) => error,
  );
}

/** The whole of a `BatchError`: its code, message and fields. */
export function fieldsOf(error: unknown): object {
  expect(error).toBeInstanceOf(BatchError);
  const { code, message, index, limit, count } = error as BatchError;
  return JSON.parse(JSON.stringify({ code, message, index, limit, count }));
}

/** Looks through message, stack and every property, hidden ones and causes too. */
export function expectNoSecret(error: unknown): void {
  const { message, stack } = error as Error;
  expect([message, stack, inspect(error, { showHidden: true, depth: null })].join("\n")).not.toContain(SECRET);
}
