export { type HeldCall, type HeldFetch, type HeldFetchOptions, heldFetch } from "./held-fetch.js";
export { ManualClock } from "./manual-clock.js";
export { openMemoryStore } from "./open-memory-store.js";
export { settled } from "./settled.js";
export { untilTerminal } from "./until-terminal.js";
