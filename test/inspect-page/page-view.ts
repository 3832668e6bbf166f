import type { Locator, Page } from "playwright-core";
import { vi } from "vitest";

/** Tries a check until it holds: between a message and what the page shows of it are a socket and a frame. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 60_000, interval: 50 });
}

/** The row of a job in the tree. */
export function jobRow(page: Page, id: string): Locator {
  return page.locator(`[data-key="job:${id}"]`);
}

/** What the tree shows: a line a row in sight, from the top. */
export async function treeLines(page: Page): Promise<string[]> {
  const placed = await page.locator("#tree .tree-row:not([hidden])").evaluateAll((rows) =>
    rows.map((row) => ({
      index: Number(row.getAttribute("data-index")),
      text: [...row.querySelectorAll(".name, .state, .count")].map(({ textContent }) => textContent).filter(Boolean),
    })),
  );
  return placed.sort((one, other) => one.index - other.index).map(({ text }) => text.join(" "));
}

export function panelsInSight(page: Page): Promise<string[]> {
  const panels = page.locator("[data-panel]:visible");
  return panels.evaluateAll((found) => found.map((panel) => panel.getAttribute("data-panel") ?? ""));
}

/** The paths of the chart's lit states, from the outside in. */
export function litStates(page: Page): Promise<string[]> {
  return page.locator(".state-box.lit").evaluateAll((boxes) => boxes.map((box) => box.getAttribute("data-path") ?? ""));
}

/** The numbers that the chart shows, by the state's path. */
export function stateNumbers(page: Page): Promise<Record<string, string>> {
  return page.locator(".state-box").evaluateAll((boxes) => {
    const numbers = boxes.map((box) => [box.getAttribute("data-path") ?? "", box.querySelector(".badge")?.textContent]);
    return Object.fromEntries(numbers.filter(([, number]) => number !== ""));
  });
}

/** The types of the events in sight, from the top. */
export async function eventTypes(page: Page): Promise<string[]> {
  return (await eventLines(page)).map((line) => line.split(" ")[1] ?? "");
}

/** The events in sight, a line each: time, type, way and detail. */
export async function eventLines(page: Page): Promise<string[]> {
  const placed = await page.locator(".event-row:not([hidden])").evaluateAll((rows) =>
    rows.map((row) => ({
      top: Number.parseInt((row as unknown as { style: { top: string } }).style.top, 10),
      text: [...row.children].map(({ textContent }) => textContent).filter(Boolean),
    })),
  );
  return placed.sort((one, other) => one.top - other.top).map(({ text }) => text.join(" "));
}
