import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, vi } from "vitest";

const USUAL = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const PAGE = fileURLToPath(new URL("../../dist/inspect/page/index.html", import.meta.url));

export interface OpenOptions {
  width?: number;
  height?: number;
  /** What the browser prints of its own accord where a connection is broken on purpose. */
  expectedErrors?: RegExp;
}

/** Where the browser is: the tests that drive it need one, and say so. */
function chromiumPath(): string {
  const { CHROMIUM_PATH } = process.env;
  const path = CHROMIUM_PATH ?? USUAL.find((usual) => existsSync(usual));
  if (path !== undefined && existsSync(path)) return path;
  throw new Error(
    `These tests drive the page in Chromium, and there is none${CHROMIUM_PATH === undefined ? "" : ` at ${CHROMIUM_PATH}`}. ` +
      "Install it (Debian: apt-get install --no-install-recommends chromium), or set CHROMIUM_PATH.",
  );
}

/** One browser for the tests of a file. A page that prints an error, throws, or asks another host fails its test. */
export function useChromium(): { open(url: string, options?: OpenOptions): Promise<Page> } {
  // A browser is many processes, and may have to share two cores with other tests.
  vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });
  let browser: Browser;
  beforeAll(async () => {
    if (!existsSync(PAGE)) throw new Error("build first: npm run build");
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    args.push("--disable-gpu", "--disable-dev-shm-usage");
    browser = await chromium.launch({ executablePath: chromiumPath(), args });
  });
  afterAll(() => browser?.close());

  return {
    async open(url, { width = 1280, height = 800, expectedErrors } = {}) {
      const page = await browser.newPage({ viewport: { width, height }, reducedMotion: "reduce" });
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => {
        const isExpected = expectedErrors?.test(message.text()) ?? false;
        if (["error", "warning"].includes(message.type()) && !isExpected) faults.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(new URL(url).origin)) faults.push(`asked ${request.url()}`);
      });
      onTestFinished(async () => {
        await page.close();
        expect(faults).toEqual([]);
      });
      await page.goto(url);
      return page;
    },
  };
}
