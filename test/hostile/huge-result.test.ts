import { expect, test } from "vitest";
import { settled, untilTerminal } from "../../src/testing/index.js";
import { isLongRun } from "../support/long-run.js";
import { aftermath, GOOD, openScene, SECRET, UNHARMED } from "./scene.js";

/** More than all that is kept by default; three times that takes seconds and a GB of memory. */
const HUGE = isLongRun ? 200_000_000 : 70_000_000;

test("R3: a result of 70 MB, or of 200 in a long run, is stored, and evicted with its ended job where it does not fit", async () => {
  const bytes: number[] = [];
  const scene = await openScene({
    fetch: ({ url }) => ({ content: url === GOOD ? "" : "x".repeat(HUGE) }),
    hooks: { target: (_error, _durationMs, resultBytes) => bytes.push(resultBytes) },
  });
  const id = await scene.submit("ann", SECRET, GOOD);
  const job = await untilTerminal(scene.runner, id);
  await settled();
  const left = await scene.runner.status(id);
  const told = { status: job?.status, bytes: [...bytes], left };
  expect({ ...told, ...(await aftermath(scene)) }).toEqual({
    status: "done",
    bytes: [HUGE + 14, 14],
    left: undefined,
    ...UNHARMED,
  });
}, 120_000);
