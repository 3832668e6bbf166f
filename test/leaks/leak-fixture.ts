import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isLongRun } from "../support/long-run.js";

/** What a process keeps at one moment, as the fixtures tell it. */
export interface Kept {
  counts: Record<string, number>;
  host: { resources: string[]; files: number; listeners: string[] };
  objects: number;
  bytes: number;
}

/** How many times the numbers of a run that a change is checked with. */
export const TIMES = isLongRun ? 10 : 1;

/** A run is some seconds on an idle machine. */
export const LIMIT_MS = TIMES * 120_000;

/** A compiler in a thread of its own keeps what the functions it works on have just seen, for as long as that takes. */
const FLAGS = ["--expose-gc", "--no-concurrent-recompilation", "--disable-warning=ExperimentalWarning"];

/** Runs a fixture over the built library, with a garbage collector to call, and resolves to what it reports. */
export async function runFixture<T>(file: URL, ...args: (string | number)[]): Promise<T> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...FLAGS, fileURLToPath(file), ...args.map(String)],
    { timeout: LIMIT_MS, killSignal: "SIGKILL" },
  );
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

/** Of one item each: a small part of the least that could be kept of it, an object, and of what a live one costs. */
const OBJECTS_AN_ITEM = 0.1;
const BYTES_AN_ITEM = 50;
/** What the reports themselves take, and code that is compiled anew, by bytes much and never alike; objects tell more. */
const OBJECTS_ANYWAY = 20;
const BYTES_ANYWAY = 4 * 1024 * 1024;

/** What the last of three equal phases, of so many items each, added to what the one before had left, in words; nothing where all is well. */
export function leaksOf(reports: readonly Kept[], items: number, objectsAnyway = OBJECTS_ANYWAY): string[] {
  const [before, , first, second] = reports;
  if (before === undefined || first === undefined || second === undefined) return ["a phase is missing"];
  const objects = second.objects - first.objects;
  const bytes = second.bytes - first.bytes;
  const unlike = (what: keyof Kept, one: Kept) =>
    JSON.stringify(one[what]) === JSON.stringify(second[what])
      ? []
      : [`${what} ${JSON.stringify(one[what])} became ${JSON.stringify(second[what])}`];
  return [
    ...unlike("counts", first),
    ...unlike("host", before),
    ...(objects > items * OBJECTS_AN_ITEM + objectsAnyway ? [`${objects} objects more`] : []),
    ...(bytes > items * BYTES_AN_ITEM + BYTES_ANYWAY ? [`${bytes} bytes more`] : []),
  ];
}
