import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpFetch } from "../../src/cli/http-fetch.js";
import { RetryLaterError, TargetError } from "../../src/errors.js";
import { TestSite } from "./test-site.js";

let site: TestSite;
beforeAll(async () => {
  site = await TestSite.start();
});
afterAll(() => site.close());

function get(path: string, { maxBodyBytes = 1024, signal = new AbortController().signal } = {}) {
  const context = { caller: { name: "me" }, signal, jobId: "1", index: 0, attempt: 1 };
  return httpFetch({ maxBodyBytes })({ url: site.url(path) }, context);
}

/** The error that the page's fetch ends with. */
async function failure(path: string): Promise<unknown> {
  try {
    await get(path);
  } catch (error) {
    return error;
  }
  throw new Error("the fetch did not fail");
}

test("a page becomes its text, with what there is to know about the answer", async () => {
  site.page("/page", (response) => response.setHeader("content-type", "text/html").end("grüße"));
  expect(await get("/page")).toEqual({
    content: "grüße",
    meta: {
      status: 200,
      contentType: "text/html",
      finalUrl: site.url("/page"),
      bytes: 7,
      durationMs: expect.any(Number),
    },
  });
});

test("redirects are followed to the final URL", async () => {
  site.page("/old", (response) => response.writeHead(302, { location: "/new" }).end());
  const result = await get("/old");
  expect(result.content).toBe("page /new");
  expect(result.meta?.finalUrl).toBe(site.url("/new"));
});

test("an empty answer is an empty text", async () => {
  site.page("/empty", (response) => response.writeHead(204).end());
  expect(await get("/empty")).toMatchObject({ content: "", meta: { status: 204, contentType: "", bytes: 0 } });
});

describe("a body", () => {
  test("is read in the charset of its content type", async () => {
    site.page("/latin", (response) =>
      response.setHeader("content-type", 'text/html; Charset="ISO-8859-1"').end(Buffer.from([0x67, 0xfc])),
    );
    expect((await get("/latin")).content).toBe("gü");
  });

  test("is read as UTF-8 where the charset is none, with what is not UTF-8 replaced", async () => {
    site.page("/odd", (response) =>
      response.setHeader("content-type", "text/html; charset=klingon").end(Buffer.from([0x61, 0xff, 0x62])),
    );
    expect((await get("/odd")).content).toBe("a\uFFFDb");
  });

  test("is cut between two characters at the limit, and not read on", async () => {
    // An endless body: only a fetch that stops asking for more comes back, and its socket is freed.
    const freed = new Promise((resolve) => {
      site.page("/endless", (response) => {
        const write = () => {
          while (response.write("é".repeat(1000)));
        };
        response.on("drain", write).on("close", resolve);
        write();
      });
    });
    const result = await get("/endless", { maxBodyBytes: 1023 });
    expect(result.content).toBe("é".repeat(511));
    expect(result.meta).toMatchObject({ truncated: true, bytes: 1023 });
    await freed;
  });

  test("that just fits is not marked as cut", async () => {
    site.page("/fits", (response) => response.end("x".repeat(1024)));
    const result = await get("/fits");
    expect(result.content).toHaveLength(1024);
    expect(result.meta).not.toHaveProperty("truncated");
  });

  test("that breaks off is a failure", async () => {
    site.page("/broken", (response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    const error = await failure("/broken");
    expect(error).toBeInstanceOf(TargetError);
    expect((error as Error).message).toMatch(/^connection broken off \(/);
  });
});

describe("a refusal", () => {
  test.each([
    [404, "HTTP 404 Not Found", /no such page/],
    [401, "HTTP 401 Unauthorized", /--fetch/],
    [418, "HTTP 418 I'm a Teapot", /check the URL/],
    [500, "HTTP 500 Internal Server Error", /again later/],
    [304, "HTTP 304 Not Modified", /browser/],
  ])("%d fails with its status and a hint", async (status, message, hint) => {
    site.page(`/${status}`, (response) => response.writeHead(status).end());
    const error = (await failure(`/${status}`)) as TargetError;
    expect(error).toBeInstanceOf(TargetError);
    expect(error).toMatchObject({ message, status });
    expect(error.hint).toMatch(hint);
  });

  test.each([
    [429, { "retry-after": "7" }, 7_000],
    [503, { "retry-after": "nonsense" }, undefined],
    [503, {}, undefined],
  ])("%d with %j is tried again later", async (status, headers, afterMs) => {
    site.page("/later", (response) => response.writeHead(status, headers).end());
    const error = (await failure("/later")) as RetryLaterError;
    expect(error).toBeInstanceOf(RetryLaterError);
    expect(error.afterMs).toBe(afterMs);
    expect(error.message).toMatch(new RegExp(`^HTTP ${status} .+ at every try$`));
  });

  test("leaves no body behind that would hold its socket", async () => {
    const freed = new Promise((resolve) => {
      site.page("/long-404", (response) => {
        response.on("close", resolve).writeHead(404);
        response.write("never ending");
      });
    });
    await failure("/long-404");
    await freed;
  });
});

test("an abort ends the fetch with the signal's reason, also in the middle of a body", async () => {
  for (const path of ["/silent", "/stalled"]) {
    const abort = new AbortController();
    site.page(path, (response) => {
      if (path === "/stalled") response.write("begun");
    });
    const fetched = get(path, { signal: abort.signal });
    await site.wasAsked(path);
    abort.abort(new Error("enough"));
    await expect(fetched).rejects.toThrow("enough");
  }
});
