import { expect, test } from "vitest";
import { openRaw } from "../support/stores.js";
import { keyOf, open, startExample } from "./service-under-test.js";

test("the owner reads the job and its targets, and the caller's name is not repeated", async () => {
  const { site, as, submit, untilEnded } = await startExample();
  site.page("/missing", (response) => response.writeHead(404).end());
  const id = await submit("alice", "/a", "/missing");
  expect(await untilEnded("alice", id)).toBe("partial");
  const { status, body } = await as("alice", "GET", `/v1/batch/${id}`);
  const ended = { options: {}, attempts: 1, hint: "" };
  const meta = { status: 200, contentType: "", finalUrl: site.url("/a"), bytes: 7 };
  expect([status, body]).toEqual([
    200,
    {
      job: {
        id,
        status: "partial",
        error: "",
        targetsTotal: 2,
        targetsDone: 2,
        targetsFailed: 1,
        createdAt: expect.any(Number),
      },
      targets: [
        { ...ended, index: 0, url: site.url("/a"), status: "done", error: "", result: { content: "page /a", meta } },
        { ...ended, index: 1, url: site.url("/missing"), status: "failed", error: "HTTP 404" },
      ],
    },
  ]);
});

test("pages hold every target once, in order, and the last has no cursor", async () => {
  const { as, submit, untilEnded } = await startExample();
  const id = await submit("alice", "/0", "/1", "/2", "/3", "/4");
  await untilEnded("alice", id);
  const pages: number[][] = [];
  let query = "";
  for (;;) {
    const { body } = await as("alice", "GET", `/v1/batch/${id}?limit=2${query}`);
    pages.push((body.targets as { index: number }[]).map(({ index }) => index));
    if (body.next === undefined) break;
    query = `&cursor=${body.next}`;
  }
  expect(pages).toEqual([[0, 1], [2, 3], [4]]);
});

test("a page that ends with the last target has no cursor, a limit of 0 gives the job alone", async () => {
  const { as, submit } = await startExample();
  const id = await submit("alice", "/0", "/1");
  const whole = await as("alice", "GET", `/v1/batch/${id}?limit=2`);
  const none = await as("alice", "GET", `/v1/batch/${id}?limit=0`);
  const after = await as("alice", "GET", `/v1/batch/${id}?cursor=1`);
  expect(Object.keys(whole.body)).toEqual(["job", "targets"]);
  expect([none.body.targets, none.body.next]).toEqual([[], undefined]);
  expect([after.body.targets, after.body.next]).toEqual([[], undefined]);
});

test.each(["limit=101", "limit=-1", "limit=x", "cursor=-1", "cursor=x", "page=2"])("?%s is 400", async (query) => {
  const { as, submit } = await startExample();
  const id = await submit("alice", "/a");
  const { status, body } = await as("alice", "GET", `/v1/batch/${id}?${query}`);
  expect([status, body.code]).toEqual([400, "ERR_INVALID_REQUEST"]);
});

const ROUTES = [
  ["GET", ""],
  ["GET", "/events"],
  ["GET", "/results"],
  ["DELETE", ""],
] as const;

test.each(ROUTES)("R6: %s /v1/batch/:id%s touches the lease of its owner's job", async (method, path) => {
  const { as, submit, untilEnded, storePath } = await startExample();
  const id = await submit("alice", "/a");
  await untilEnded("alice", id);
  const raw = openRaw(storePath);
  raw.prepare("update batch_job set lease = 1").run();
  await as("alice", method, `/v1/batch/${id}${path}`);
  expect(raw.prepare("select lease > 1 as touched from batch_job").get()).toEqual({ touched: 1 });
});

test.each(ROUTES)("%s /v1/batch/:id%s answers somebody else's job as one that never was", async (method, path) => {
  const { service, site, submit, as, storePath } = await startExample();
  site.page("/held", () => {});
  const id = await submit("alice", "/held");
  await site.wasAsked("/held");
  const raw = openRaw(storePath);
  raw.prepare("update batch_job set lease = 1").run();
  const seen = async (job: string) => {
    const response = await open(service.port, method, `/v1/batch/${job}${path}`, { key: keyOf("bob") });
    const { date: _, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  };
  const foreign = await seen(id);
  expect(foreign).toMatchObject({ status: 404, body: '{"code":"ERR_NOT_FOUND","message":"not found"}' });
  for (const unknown of ["0".repeat(32), "x", "..%2f"]) expect(await seen(unknown)).toEqual(foreign);
  expect(raw.prepare("select status, lease from batch_job").get()).toEqual({ status: "running", lease: 1 });
  expect((await as("alice", "GET", `/v1/batch/${id}`)).status).toBe(200);
});

test("R5: DELETE cancels a live job at once, and says so of one that had ended", async () => {
  const { site, as, submit } = await startExample();
  site.page("/held", () => {});
  const id = await submit("alice", "/held", "/never");
  await site.wasAsked("/held");
  const first = await as("alice", "DELETE", `/v1/batch/${id}`);
  const second = await as("alice", "DELETE", `/v1/batch/${id}`);
  expect([first.status, first.body.cancelled, first.body.job]).toEqual([
    200,
    true,
    { ...(second.body.job as object), status: "cancelled" },
  ]);
  expect([second.status, second.body.cancelled]).toEqual([200, false]);
});
