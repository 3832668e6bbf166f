import { describe, expect, test } from "vitest";
import { done, failure, keptCounts, openStore, PLACES, request } from "../support/stores.js";

describe.each(PLACES)("in %s", (place) => {
  test("eviction: nbytes counts the UTF-8 bytes of url, options, result, error and hint, with whatever follows a NUL", async () => {
    const { store, raw } = await openStore(place);
    const nbytes = () => raw.prepare("select nbytes from batch_job where id = 'a'").pluck().get();
    const targets = [
      { url: "ü", options: '{"q":"👍"}' }, // 2 + 12
      { url: "a\0bc", options: "{}" }, // 4 + 2
    ];
    await store.admit(request("a", { targets }));
    expect(nbytes()).toBe(20);
    await store.start({ jobId: "a", index: 0, startedAtMs: 1, maxInterrupted: 3 });
    expect(nbytes()).toBe(20);
    const result = '{"content":"€\0x"}'; // 12 + 3 + 1 + 1 + 2
    const first = await store.settle({
      jobId: "a",
      outcomes: [done(0, { result })],
      targetsDone: 1,
      targetsFailed: 0,
      end: undefined,
    });
    expect([nbytes(), first]).toEqual([39, { live: true, bytes: 39 }]);
    const second = await store.settle({
      jobId: "a",
      outcomes: [failure(1, { error: "né\0t", hint: "💡" })], // 5 + 4
      targetsDone: 2,
      targetsFailed: 1,
      end: "partial",
    });
    expect([nbytes(), second]).toEqual([48, { live: true, bytes: 48 }]);
    const byHand = `select sum(length(cast(url as blob)) + length(cast(options as blob)) +
      coalesce(length(cast(result as blob)), 0) + length(cast(error as blob)) + length(cast(hint as blob))) from batch_target`;
    expect(raw.prepare(byHand).pluck().get()).toBe(48);
  });

  test("eviction: a settlement says the bytes of all jobs, also for a job that is cancelled", async () => {
    const { store } = await openStore(place);
    await store.admit(request("a", { targets: [{ url: "12345", options: "{}" }] }));
    await store.admit(request("b", { targets: [{ url: "123", options: "{}" }] }));
    await store.cancel("b");
    const outcomes = [done(0, { result: "{}" })];
    expect(await store.settle({ jobId: "b", outcomes, targetsDone: 1, targetsFailed: 0, end: "done" })).toEqual({
      live: false,
      bytes: 14,
    });
    expect((await keptCounts(store, "ann")).bytes).toBe(14);
  });
});
