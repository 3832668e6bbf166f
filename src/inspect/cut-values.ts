import type { AnyEventObject, AnyMachineSnapshot } from "xstate";
import type { Revealable } from "./reveal.js";
import type { StateValue } from "./state-path.js";
import { eachField, errorCode, isObject, visible } from "./visible-fields.js";

/** An event as its type and what anybody may see of its fields. */
export function cutEvent(event: AnyEventObject, revealed: ReadonlySet<Revealable>): AnyEventObject {
  return { ...cutFields(event, revealed), type: event.type };
}

/** A snapshot as its state, and what anybody may see of its context. */
export function cutSnapshot(
  snapshot: AnyMachineSnapshot | undefined,
  revealed: ReadonlySet<Revealable>,
): AnyMachineSnapshot {
  const context = isObject(snapshot?.context) ? cutFields(snapshot.context, revealed) : {};
  // Whoever inspects is only told what a snapshot says; its methods stay with the runner.
  return {
    // An actor is told of before it has a snapshot.
    status: snapshot?.status ?? "active",
    ...(snapshot?.value === undefined ? {} : { value: copyOf(snapshot.value) }),
    context,
    output: undefined,
    error: undefined,
    ...cutError(snapshot, revealed),
    children: {},
    tags: [],
  } as unknown as AnyMachineSnapshot;
}

/** Whoever looks could write to what they get. */
function copyOf(value: StateValue): StateValue {
  if (typeof value === "string") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inner && copyOf(inner)]));
}

/** One level into what a field holds, and no further: a rotation is its numbers, a list its length, an actor its ids. */
function cutFields(fields: object, revealed: ReadonlySet<Revealable>): Record<string, unknown> {
  const cut: Record<string, unknown> = cutError(fields, revealed);
  eachField(fields, revealed, (name, field) => {
    // Cut already, since the rest of an error is not for anybody.
    if (name === "error") return;
    const shown = revealed.has(name as Revealable) ? field : (visible(name, field) ?? summaryOf(field, revealed));
    if (shown !== undefined) cut[name] = shown;
  });
  return cut;
}

function summaryOf(value: unknown, revealed: ReadonlySet<Revealable>): unknown {
  if (!isObject(value)) return undefined;
  if (Array.isArray(value)) return { length: value.length };
  if ("sessionId" in value && "id" in value) {
    return { id: visible("actorId", value.id), sessionId: visible("actorId", value.sessionId) };
  }
  const summary: Record<string, unknown> = {};
  eachField(value, revealed, (name, field) => {
    const shown = visible(name, field);
    if (shown !== undefined) summary[name] = shown;
  });
  return summary;
}

/** The message of an error only where errors are revealed: it may hold anything. */
function cutError(holder: object | undefined, revealed: ReadonlySet<Revealable>): { error?: object } {
  const error = holder !== undefined && "error" in holder ? holder.error : undefined;
  if (error === undefined) return {};
  const message = error instanceof Error ? error.message : error;
  const isTold = revealed.has("error") && typeof message === "string";
  return { error: { ...errorCode(error), ...(isTold ? { message } : {}) } };
}
