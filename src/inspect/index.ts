export { createLocalInspector, type LocalInspector, type LocalInspectorOptions } from "./local-inspector.js";
export { type RedactedOptions, redacted } from "./redacted.js";
export type { Revealable } from "./reveal.js";
export type { HistoryLimits } from "./runner-history.js";
export type { ReadableStore } from "./target-page.js";
