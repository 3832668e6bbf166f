import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { type Feed, Viewers } from "../../src/inspect/viewers.js";
import { ManualClock } from "../../src/testing/index.js";

/** A connection whose reader the test is: it takes so many bytes before it asks to wait. */
class Reader extends EventEmitter {
  readonly got: string[] = [];
  destroyed = false;
  takes: number;

  constructor(takes: number) {
    super();
    this.takes = takes;
  }

  write(text: string): boolean {
    const [, name, json = ""] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? [];
    this.got.push(`${name} ${JSON.parse(json).nowMs ?? ""}`);
    return text.length <= this.takes;
  }

  end(text: string): void {
    this.write(text);
    this.emit("close");
  }

  read(): void {
    this.emit("drain");
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

/** A feed of numbers: a hello tells how many changes there were, an update how many since the last message. */
function scene() {
  const clock = new ManualClock();
  let [happened, told] = [0, 0];
  let tell: (() => void) | undefined;
  const sinceTold = () => {
    const since = happened - told;
    told = happened;
    return since;
  };
  const feed: Feed = {
    watch: (next) => {
      tell = next;
    },
    hello: () => ({ source: "store", machines: {}, nowMs: sinceTold() * 0 + happened }),
    update: () => ({ nowMs: sinceTold() }),
  };
  const viewers = new Viewers(feed, 2, clock);
  const look = (takes = Number.POSITIVE_INFINITY): Reader => {
    const reader = new Reader(takes);
    viewers.add(reader as unknown as ServerResponse);
    return reader;
  };
  const happen = () => {
    happened++;
    tell?.();
  };
  return { clock, viewers, look, happen, feed, isWatched: () => tell !== undefined };
}

test("inspector: changes are gathered, and told ten times a second at most", () => {
  const { clock, look, happen } = scene();
  happen();
  const reader = look();
  clock.jump(0);
  expect(reader.got).toEqual(["hello 1"]);
  for (let ms = 0; ms < 1_000; ms += 10) {
    happen();
    clock.jump(10);
  }
  expect(reader.got).toEqual(["hello 1", ...Array.from({ length: 10 }, () => "update 10")]);
});

test("inspector: where nothing happens nothing is told, and no timer is set", () => {
  const { clock, look } = scene();
  const reader = look();
  clock.jump(0);
  clock.jump(10_000);
  expect([reader.got, clock.waits]).toEqual([["hello 0"], []]);
});

test("inspector: who comes later is greeted once the others are told what they have to know", () => {
  const { clock, look, happen } = scene();
  const first = look();
  clock.jump(0);
  happen();
  const second = look();
  happen();
  clock.jump(100);
  happen();
  clock.jump(100);
  expect([first.got, second.got]).toEqual([
    ["hello 0", "update 2", "update 1"],
    ["hello 2", "update 1"],
  ]);
});

test("inspector: for who reads slowly nothing is queued; it is greeted anew once it has read, and the others wait for nobody", () => {
  const { clock, look, happen } = scene();
  const [slow, quick] = [look(0), look()];
  clock.jump(0);
  for (let number = 0; number < 500; number++) {
    happen();
    clock.jump(100);
  }
  expect(slow.got).toEqual(["hello 0"]);
  expect(quick.got.length).toBe(501);
  slow.read();
  clock.jump(100);
  expect(slow.got).toEqual(["hello 0", "hello 500"]);
  slow.takes = Number.POSITIVE_INFINITY;
  slow.read();
  happen();
  clock.jump(100);
  happen();
  clock.jump(100);
  expect(slow.got.slice(1)).toEqual(["hello 500", "update 1", "update 1"]);
});

test("inspector: who reads nothing for a minute is let go, since it may be gone", () => {
  const { clock, look, happen } = scene();
  const reader = look(0);
  clock.jump(0);
  const other = look();
  for (let seconds = 0; seconds <= 60; seconds++) {
    expect(reader.destroyed).toBe(false);
    happen();
    clock.jump(1_000);
  }
  expect([reader.destroyed, other.destroyed]).toEqual([true, false]);
});

test("inspector: once nobody looks any more nothing is watched, and no timer is left", () => {
  const { clock, viewers, look, happen, isWatched } = scene();
  const [one, other] = [look(), look()];
  expect(viewers.full).toBe(true);
  clock.jump(0);
  happen();
  one.destroy();
  expect([isWatched(), viewers.full, clock.waits.length]).toEqual([true, false, 1]);
  other.destroy();
  expect([isWatched(), clock.waits]).toEqual([false, []]);
});

test("inspector: closing tells what is still untold, and that this was all", () => {
  const { clock, viewers, look, happen, isWatched } = scene();
  const [one, other] = [look(), look(0)];
  clock.jump(0);
  happen();
  viewers.close();
  expect([one.got, other.got]).toEqual([
    ["hello 0", "update 1", "end "],
    ["hello 0", "end "],
  ]);
  expect([isWatched(), clock.waits]).toEqual([false, []]);
});

test("R8: a feed that throws as it is closed ends the streams all the same", () => {
  const { clock, viewers, look, happen, feed, isWatched } = scene();
  const reader = look();
  clock.jump(0);
  feed.update = () => {
    throw new Error("cannot be shown");
  };
  happen();
  viewers.close();
  expect([reader.destroyed, isWatched(), clock.waits]).toEqual([true, false, []]);
});

test("R8: a feed that throws ends the streams, and nothing else", () => {
  const { clock, look, happen, feed, isWatched } = scene();
  const reader = look();
  clock.jump(0);
  feed.update = () => {
    throw new Error("cannot be shown");
  };
  happen();
  clock.jump(100);
  expect([reader.destroyed, isWatched(), clock.waits]).toEqual([true, false, []]);
});
