import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface Site {
  origin: string;
  /** How often each path was asked for. */
  asked: Map<string, number>;
}

/** What a page holds; a result that holds anything else is not of that page. */
export const pageOf = (path: string): string => `the page at ${path} `.repeat(20);

/**
 * Pages by the first word of their path: `fast`, `slow`, `gone` (404), `busy` (503 with a retry-after, until the third
 * time), `never` (no answer at all). Any other word is fast.
 */
export async function openSite(): Promise<Site> {
  const asked = new Map<string, number>();
  const server: Server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const times = (asked.get(path) ?? 0) + 1;
    asked.set(path, times);
    const [, word] = path.split("/");
    if (word === "never") return;
    if (word === "slow") await setTimeout(times % 2 === 0 ? 4 : 12);
    if (word === "gone") response.writeHead(404).end("no such page");
    else if (word === "busy" && times < 3) response.writeHead(503, { "retry-after": "0.008" }).end("later");
    else response.end(pageOf(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
