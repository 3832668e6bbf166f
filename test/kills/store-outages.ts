import type { Database } from "better-sqlite3";
import type { BatchStore } from "../../src/index.js";
import { freshPath, openRaw, openWithConnection } from "../support/stores.js";

export interface OpenFile {
  store: BatchStore;
  /** The very connection of the store. */
  connection: Database;
  /** Another one. */
  raw: Database;
}

export async function openFile(): Promise<OpenFile> {
  const path = freshPath();
  const { store, connection } = await openWithConnection(path);
  return { store, connection, raw: openRaw(path) };
}

const WRITES = [
  ["insert", "batch_job"],
  ["update", "batch_job"],
  ["insert", "batch_target"],
  ["update", "batch_target"],
  ["update", "batch_total"],
  ["insert", "batch_caller"],
  ["delete", "batch_caller"],
] as const;

/** How the store is put into trouble, and out of it. */
export const OUTAGES: [name: string, begin: (file: OpenFile) => void, end: (file: OpenFile) => void][] = [
  [
    "a full disk",
    ({ connection }) => connection.pragma(`max_page_count = ${connection.pragma("page_count", { simple: true })}`),
    ({ connection }) => connection.pragma("max_page_count = 1000000"),
  ],
  [
    "a file that may only be read",
    ({ connection }) => connection.pragma("query_only = on"),
    ({ connection }) => connection.pragma("query_only = off"),
  ],
  ["another's write lock", ({ raw }) => raw.exec("begin immediate"), ({ raw }) => raw.exec("rollback")],
  ...WRITES.flatMap(([write, table]) =>
    (["abort", "rollback"] as const).map((how): (typeof OUTAGES)[number] => [
      `a trigger that answers each ${write} on ${table} with ${how}`,
      ({ raw }) =>
        raw.exec(`create trigger trouble before ${write} on ${table} begin select raise(${how}, 's3cret'); end`),
      ({ raw }) => raw.exec("drop trigger trouble"),
    ]),
  ),
];
