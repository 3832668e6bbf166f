import { RetryLaterError, TargetError } from "../../src/index.js";
import { throwing, trapped, withThrowing } from "./odd-values.js";
import { SECRET } from "./scene.js";
import { FAULT, SAID, type ThrownCase, throws } from "./thrown-case.js";

const later = (afterMs?: unknown) => new RetryLaterError(SECRET, { afterMs: afterMs as number });
const error = (cause?: unknown) => new Error(SECRET, { cause });
const gathering = (errors: unknown) =>
  Object.defineProperty(new AggregateError([], SECRET), "errors", { value: errors });

/** So many errors, each the cause of the one before, and the last of them caused by `core`. */
function chain(length: number, core: unknown, link = error): unknown {
  let cause = core;
  for (let place = 0; place < length; place++) cause = link(cause);
  return cause;
}

function ring(length: number): Error {
  const last = error();
  const first = chain(length - 1, last) as Error;
  last.cause = first;
  return first;
}

/** An array of a million, one of which is odd. */
function million(place: number, odd: unknown): unknown[] {
  const errors: unknown[] = Array.from({ length: 1_000_000 }, (_, index) => index);
  errors[place] = odd;
  return errors;
}

/** Its cause is a new error each time one looks. */
class Growing extends Error {
  override get cause(): unknown {
    return new Growing(this.message);
  }
}

class LaterStill extends RetryLaterError {}
class GoneForGood extends TargetError {}

/** Chains that hold an answer to be tried later, or hide one. */
export const CHAINS: ThrownCase[] = [
  throws("its own cause", () => ring(1), SAID),
  throws("one of a ring of three", () => ring(3), SAID),
  throws("of a chain that grows while it is walked", () => new Growing(SECRET), SAID),
  throws("an AggregateError that gathers itself", () => gatheringItself(), SAID),
  throws("ten AggregateErrors around a RetryLaterError", () => chain(10, later(70), (e) => gathering([e])), "later 70"),
  throws("ten AggregateErrors around a fault", () => chain(10, new TypeError(SECRET), (e) => gathering([e])), SAID),
  throws("a fault caused by a RetryLaterError", () => assertion(later(70)), FAULT),
  throws("a TypeError caused by a RetryLaterError", () => new TypeError(SECRET, { cause: later(70) }), "later 70"),
  throws(
    "a RetryLaterError caused by a fault",
    () => new RetryLaterError(SECRET, { cause: new TypeError(SECRET) }),
    "later 1000",
  ),
  throws("a RetryLaterError at the end of 5,000 causes", () => chain(5_000, later(70)), "later 70"),
  throws("a RetryLaterError beyond the 10,000 errors looked at", () => chain(20_000, later(70)), SAID),
  throws("of a million, a RetryLaterError at place 5,000", () => gathering(million(5_000, later(70))), "later 70"),
  throws("of a million, a RetryLaterError at the last place", () => gathering(million(999_999, later(70))), SAID),
  throws("an array of four billion holes", () => gathering(Object.assign([], { length: 2 ** 32 - 1 })), SAID),
  throws("errors that are no array", () => gathering({ length: 1, 0: later(70) }), SAID),
  throws("errors that are a trapped array", () => gathering(trapped([later(70)])), SAID),
  throws("errors whose places throw but for one", () => gathering(withThrowing([1, later(70)], 0)), "later 70"),
  throws(
    "errors with a slice of their own",
    () => gathering(Object.assign([later(70)], { slice: () => 5 })),
    "later 70",
  ),
  throws(
    "errors with an iterator of their own",
    () => gathering(Object.assign([later(70)], { [Symbol.iterator]: throwing })),
    "later 70",
  ),
  throws("errors of a hostile species", () => gathering(hostileSpecies([later(70)])), "later 70"),
  throws(
    "a cause that throws beside errors that do not",
    () => withThrowing(gathering([later(70)]), "cause"),
    "later 70",
  ),
];

/** Retry-later answers with odd waits: one that is no number of 0 or more is not taken. */
export const LATER: ThrownCase[] = [
  throws("a RetryLaterError", () => later(), "later 1000"),
  throws("one of a subclass", () => new LaterStill(SECRET, { afterMs: 5 }), "later 5"),
  throws("one that is frozen", () => Object.freeze(later(5)), "later 5"),
  throws("one without a message", () => new RetryLaterError(undefined, { afterMs: 0 }), "later 0"),
  throws("after NaN ms", () => later(Number.NaN), "later 1000"),
  throws("after -1 ms", () => later(-1), "later 1000"),
  throws("after minus infinity", () => later(Number.NEGATIVE_INFINITY), "later 1000"),
  throws('after "5" ms', () => later("5"), "later 1000"),
  throws("after 5n ms", () => later(5n), "later 1000"),
  throws("after null ms", () => later(null), "later 1000"),
  throws("after half a ms", () => later(0.5), "later 0.5"),
  throws("after infinity: the end of the window", () => later(Number.POSITIVE_INFINITY), "later 60000"),
  throws("after 1e300 ms: the end of the window", () => later(1e300), "later 60000"),
  throws("after 2^31 ms: the end of the window", () => later(2 ** 31), "later 60000"),
  throws("after a wait that throws", () => withThrowing(later(), "afterMs"), "later 1000"),
];

const KEPT = `${SAID} (${SECRET})`;

/** TargetErrors: an answer of the fetch's own, which is stored also while the runner is closing. */
export const TARGET_ERRORS: ThrownCase[] = [
  kept("one with a hint", () => gone(), KEPT),
  kept("one of a subclass", () => new GoneForGood(SECRET, { hint: SECRET }), KEPT),
  kept("one that is sealed", () => Object.seal(gone()), KEPT),
  kept("one that is frozen", () => Object.freeze(gone()), KEPT),
  kept("one whose message is no string", () => Object.assign(gone(), { message: 5 }), `failed:  (${SECRET})`),
  kept("one whose hint is no string", () => Object.assign(gone(), { hint: { toString: throwing } }), SAID),
  kept("one whose message and hint throw", () => withThrowing(gone(), "message", "hint"), "failed: "),
  kept("one with a hint of 5 MB", () => gone(SECRET.repeat(150_000)), `${SAID} (${SECRET.repeat(60).slice(0, 2_000)})`),
  throws("one caused by an AbortError", () => gone(SECRET, new DOMException(SECRET, "AbortError")), KEPT),
  throws("one caused by a RetryLaterError", () => gone(SECRET, later(70)), "later 70"),
];

function gone(hint = SECRET, cause?: unknown): TargetError {
  return new TargetError(SECRET, { hint, cause });
}

function kept(name: string, make: () => unknown, stored: string): ThrownCase {
  return throws(name, make, stored, stored);
}

function assertion(cause: unknown): Error {
  return Object.assign(error(cause), { name: "AssertionError" });
}

function gatheringItself(): Error {
  const errors: unknown[] = [];
  const aggregate = gathering(errors);
  errors.push(aggregate, errors, null);
  return aggregate;
}

function hostileSpecies(errors: unknown[]): unknown[] {
  const species = function* endless() {
    for (;;) yield later(70);
  };
  return Object.assign(errors, { constructor: { [Symbol.species]: species } });
}
