import { type Target, TargetError } from "fairbatch";
import { type HostGate, hostOf, refusedHost } from "./host-gate.js";
import { readPageUrl } from "./page-url.js";

/** A name server that is slow holds a submit up no longer than this; the host is checked again when it is dialled. */
const PATIENCE_MS = 2_000;

/** The first target that is no page of a host that may be asked, and why; undefined where all are. */
export async function findRefusedTarget(
  targets: readonly Target<object>[],
  gate: HostGate,
): Promise<{ index: number; reason: string } | undefined> {
  const admitted = new Map<string, Promise<boolean>>();
  const deadline = deadlineIn(PATIENCE_MS);
  try {
    const checks = targets.map(async ({ url }, index) => {
      const reason = await refusalReason(url, gate, admitted, deadline.passed);
      return reason === undefined ? undefined : { index, reason };
    });
    return (await Promise.all(checks)).find((refused) => refused !== undefined);
  } finally {
    deadline.clear();
  }
}

async function refusalReason(
  text: string,
  gate: HostGate,
  admitted: Map<string, Promise<boolean>>,
  passed: Promise<true>,
): Promise<string | undefined> {
  try {
    const host = hostOf(readPageUrl(text));
    if (!gate.admitsLiteral(host)) throw refusedHost();
    // A batch often has many pages of one host.
    if (!admitted.has(host)) admitted.set(host, gate.admitsName(host));
    if (!(await Promise.race([admitted.get(host), passed]))) throw refusedHost();
    return undefined;
  } catch (error) {
    if (error instanceof TargetError) return error.message;
    throw error;
  }
}

function deadlineIn(ms: number): { passed: Promise<true>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, ms, true);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
