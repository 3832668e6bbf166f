import { describe, expect, test } from "vitest";
import { durationText, stopwatch } from "../../src/inspect/page/time-text.js";
import { TimeWindow, ticks } from "../../src/inspect/page/time-window.js";
import { JobNumbers, lanesWithin, latestMoment, phaseShares } from "../../src/inspect/page/timeline-lanes.js";
import { World } from "../../src/inspect/page/world.js";
import type { SpanView } from "../../src/inspect/protocol.js";
import { jobId, runnerActors, span } from "./views.js";

function worldOf(spans: SpanView[], workers = 1): World {
  const world = new World();
  world.greet({ source: "runner", machines: {}, nowMs: 0, actors: runnerActors(workers), spans });
  return world;
}

describe("lanes", () => {
  test("R2: with one worker the jobs alternate on its lane, and each job's lane has its own targets", () => {
    const turns = [0, 1, 0, 1].map((place, id) => span(id, place, { index: Math.floor(id / 2) }));
    const lanes = lanesWithin(worldOf(turns), new JobNumbers(), 0, 10_000);

    expect(lanes.map(({ label, spans }) => [label, spans.map(({ id }) => id)])).toEqual([
      ["worker-1", [0, 1, 2, 3]],
      ["00000000", [0, 2]],
      ["00000001", [1, 3]],
    ]);
  });

  test("a window shows what reaches into it, what still lasts too, and workers that did nothing", () => {
    const spans = [span(0, 0), span(2, 1), span(4, 2), span(6, 3)];
    const { toMs: _, ...open } = span(1, 4);
    const { worker: __, ...wait } = span(3, 5, { phase: "waiting" });
    const lanes = lanesWithin(worldOf([...spans, open, wait], 2), new JobNumbers(), 2_500, 4_500);

    expect(lanes.map(({ kind, key, spans }) => [kind, key, spans.map(({ id }) => id)])).toEqual([
      ["worker", "worker-1", [2, 4, 1]],
      ["worker", "worker-2", []],
      ["job", jobId(1), [2]],
      ["job", jobId(2), [4]],
      ["job", jobId(4), [1]],
      ["job", jobId(5), [3]],
    ]);
  });

  test("the workers' time is shared out among what they did, from the first thing in the window on", () => {
    const phases = [
      span(1, 0, { phase: "starting", toMs: 1_500 }),
      span(2, 0, { fromMs: 1_500, toMs: 4_000 }),
      span(3, 0, { phase: "storing", fromMs: 4_000, toMs: 4_500 }),
    ];
    const world = worldOf(phases, 2);

    expect(phaseShares(lanesWithin(world, new JobNumbers(), 0, 5_000), 0, 5_000)).toEqual({
      starting: 0.0625,
      fetching: 0.3125,
      storing: 0.0625,
      waiting: 0,
      idle: 0.5625,
    });
    expect(phaseShares([], 0, 6_000)).toEqual({ starting: 0, fetching: 0, storing: 0, waiting: 0, idle: 0 });
  });

  test("time goes on while something lasts, and stands where the last thing ended", () => {
    const { toMs: _, ...open } = span(7, 0);
    expect(latestMoment(worldOf([span(0, 0), open]), 20_000)).toEqual({ atMs: 20_000, moving: true });
    expect(latestMoment(worldOf([span(3, 0), span(0, 0)]), 20_000)).toEqual({ atMs: 4_000, moving: false });
    expect(latestMoment(worldOf([]), 20_000)).toEqual({ atMs: 20_000, moving: false });
  });
});

describe("the window", () => {
  test("follows what happens until it is moved, and again when it is asked to", () => {
    const window = new TimeWindow();
    expect(window.at(10_000)).toEqual({ fromMs: 400, toMs: 10_400 });
    window.pan(-2_000, 10_000);
    expect([window.follows, window.at(99_000)]).toEqual([false, { fromMs: -1_600, toMs: 8_400 }]);
    window.follow();
    expect(window.at(20_000)).toEqual({ fromMs: 10_400, toMs: 20_400 });
  });

  test("is zoomed around what stays where it is, within limits", () => {
    const window = new TimeWindow();
    window.zoom(0.5, 10_000);
    expect([window.follows, window.at(10_000)]).toEqual([true, { fromMs: 5_200, toMs: 10_200 }]);
    window.zoom(0.5, 10_000, 0.5);
    expect([window.follows, window.at(10_000)]).toEqual([false, { fromMs: 6_450, toMs: 8_950 }]);
    for (let times = 0; times < 40; times++) window.zoom(0.5, 10_000);
    expect(window.lengthMs).toBe(20);
    for (let times = 0; times < 60; times++) window.zoom(2, 10_000);
    expect(window.lengthMs).toBe(6 * 3_600_000);
  });

  test("is fitted to all that there is", () => {
    const window = new TimeWindow();
    window.fit(-50_000, 50_000);
    expect(window.at(0)).toEqual({ fromMs: -54_320, toMs: 53_680 });
  });

  test("has round times on its axis, no more than there is room for", () => {
    expect(ticks(1_200, 11_200, 6)).toEqual({ stepMs: 2_000, atMs: [2_000, 4_000, 6_000, 8_000, 10_000] });
    expect(ticks(-30, 20, 5)).toEqual({ stepMs: 10, atMs: [-30, -20, -10, 0, 10, 20] });
    expect(ticks(0, 86_400_000, 8).atMs.length).toBeLessThanOrEqual(9);
  });
});

test("durations and times are told as people read them", () => {
  expect([0, 0.84, 3.25, 12, 1_240, 12_400, 125_000, 3_725_000].map(durationText)).toEqual([
    ...["0 µs", "840 µs", "3.3 ms", "12 ms", "1.24 s", "12.4 s", "2 min 05 s", "1 h 02 min"],
  ]);
  expect([
    stopwatch(4.4),
    stopwatch(64_250),
    stopwatch(-1_500, 1),
    stopwatch(3_723_000, 0),
    stopwatch(59_999.6),
  ]).toEqual([...["0:00.004", "1:04.250", "−0:01.5", "1:02:03", "1:00.000"]]);
});
