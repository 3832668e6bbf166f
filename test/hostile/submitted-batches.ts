import { revoked, throwing, trapped, withChanging, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";
import { batchWith, CALLER, NAME, refuses, type SubmittedCase, stores, TARGET } from "./submitted-case.js";

const NO_NAME = "TypeError: caller.name must be a string";
const LONE_NAME = "TypeError: caller.name must not hold a lone surrogate";
const MEGABYTE = MARK.repeat(160_000);

const named = (name: unknown) => batchWith({ caller: { name } });
const calledBy = (caller: unknown) => batchWith({ caller });

export const BATCHES: SubmittedCase[] = [
  refuses("undefined", () => undefined, NO_NAME),
  refuses("null", () => null, NO_NAME),
  refuses("a string", () => SECRET, NO_NAME),
  refuses("an empty object", () => ({}), NO_NAME),
  refuses("a revoked proxy", () => revoked(batchWith()), NO_NAME),
  refuses("a trapped proxy", () => trapped(batchWith()), NO_NAME),
  stores("frozen", () => Object.freeze(batchWith())),
  stores("a proxy", () => new Proxy(batchWith(), {})),
  stores(
    "an instance of a class with getters",
    () =>
      new (class {
        get caller() {
          return CALLER;
        }
        get targets() {
          return [TARGET];
        }
      })(),
  ),
  stores("without prototype", () => Object.assign(Object.create(null), batchWith())),
  stores("of an own key `__proto__`", () => Object.assign(JSON.parse('{"__proto__":5}'), batchWith())),
];

export const CALLERS: SubmittedCase[] = [
  refuses("missing", () => calledBy(undefined), NO_NAME),
  refuses("null", () => calledBy(null), NO_NAME),
  refuses("a string", () => calledBy(NAME), NO_NAME),
  refuses("one that throws", () => withThrowing(batchWith(), "caller"), NO_NAME),
  refuses("a revoked proxy", () => calledBy(revoked()), NO_NAME),
  refuses("a trapped proxy", () => calledBy(trapped()), NO_NAME),
  refuses("one without a name", () => calledBy({}), NO_NAME),
  refuses("one whose name throws", () => calledBy(withThrowing({}, "name")), NO_NAME),
  refuses("one named by a number", () => named(7), NO_NAME),
  refuses("one named by a symbol", () => named(Symbol(SECRET)), NO_NAME),
  refuses("one named by a boxed string", () => named(Object(SECRET)), NO_NAME),
  refuses("one named by what becomes a string", () => named({ toString: () => SECRET }), NO_NAME),
  refuses("one named with a lone surrogate", () => named(`${SECRET}\ud83e`), LONE_NAME),
  stores("named with nothing", () => named(""), { caller: "" }),
  stores("named `__proto__`", () => named("__proto__"), { caller: "__proto__" }),
  stores("named `constructor`", () => named("constructor"), { caller: "constructor" }),
  stores("named with a NUL", () => named(`${NAME}\0tail`), { caller: `${NAME}\0tail` }),
  stores("named with words of SQL", () => named("'; drop table batch_job; --"), {
    caller: "'; drop table batch_job; --",
  }),
  stores("named by 1 MB", () => named(MEGABYTE), { caller: MEGABYTE }),
  stores("frozen", () => calledBy(Object.freeze({ name: NAME }))),
  stores("a proxy", () => calledBy(new Proxy({ name: NAME }, {}))),
  stores("without prototype", () => calledBy(Object.assign(Object.create(null), { name: NAME }))),
  stores("a function", () => calledBy(Object.defineProperty(() => {}, "name", { value: NAME }))),
  stores("whose name changes between reads", () => calledBy(withChanging({}, "name", [NAME, 5]))),
  stores("whose other properties throw", () => calledBy(withThrowing({ name: NAME }, "workspace", "toJSON", "then"))),
];

const NO_CLASS = "TypeError: callerClass must be a string";
const NO_KEY = "TypeError: idempotencyKey must be a string";
const ofClass = (callerClass: unknown) => batchWith({ callerClass });
const keyed = (idempotencyKey: unknown) => batchWith({ idempotencyKey });

export const CLASSES_AND_KEYS: SubmittedCase[] = [
  refuses("a class that is a number", () => ofClass(7), NO_CLASS),
  refuses("a class that is an object", () => ofClass({ toString: throwing }), NO_CLASS),
  refuses(
    "a class that throws",
    () => withThrowing(batchWith(), "callerClass"),
    "TypeError: callerClass cannot be read",
  ),
  refuses(
    "a class with a lone surrogate",
    () => ofClass("\udd8a"),
    "TypeError: callerClass must not hold a lone surrogate",
  ),
  stores("a class that is null", () => ofClass(null), { callerClass: "" }),
  stores("a class that is undefined", () => ofClass(undefined), { callerClass: "" }),
  stores("a class of 1 MB", () => ofClass(MEGABYTE), { callerClass: MEGABYTE }),
  stores("a class with a NUL", () => ofClass(`${MARK}\0tail`), { callerClass: `${MARK}\0tail` }),
  refuses("a key that is null", () => keyed(null), NO_KEY),
  refuses("a key that is a number", () => keyed(7), NO_KEY),
  refuses("a key that is a symbol", () => keyed(Symbol(SECRET)), NO_KEY),
  refuses("a key that is an object", () => keyed({ toString: () => "key" }), NO_KEY),
  refuses("a key that is empty", () => keyed(""), "TypeError: idempotencyKey must not be empty"),
  refuses(
    "a key that throws",
    () => withThrowing(batchWith(), "idempotencyKey"),
    "TypeError: idempotencyKey cannot be read",
  ),
  refuses(
    "a key with a lone surrogate",
    () => keyed("\ud83e"),
    "TypeError: idempotencyKey must not hold a lone surrogate",
  ),
  stores("a key `__proto__`", () => keyed("__proto__")),
  stores("a key with a NUL", () => keyed(`${MARK}\0`)),
  stores("a key of 1 MB", () => keyed(MEGABYTE)),
  stores("a key that looks like targets", () => keyed(JSON.stringify([TARGET]))),
  stores("a key that changes between reads", () => withChanging(batchWith(), "idempotencyKey", [MARK, 5])),
];

const signalled = (signal: unknown) => batchWith({ signal });

/** A signal that cannot say that it is aborted is taken for one that is not. */
export const SIGNALS: SubmittedCase[] = [
  refuses("aborted", () => signalled(AbortSignal.abort(MARK)), `reason ${MARK}`),
  refuses("aborted with null for a reason", () => signalled(AbortSignal.abort(null)), "reason null"),
  refuses("aborted with a symbol", () => signalled(AbortSignal.abort(Symbol.for(MARK))), `reason Symbol(${MARK})`),
  refuses("a fake one that is aborted", () => signalled({ aborted: true, reason: MARK }), `reason ${MARK}`),
  refuses("a fake one without a reason", () => signalled({ aborted: true }), "reason undefined"),
  refuses(
    "aborted, whose reason throws",
    () => signalled(withThrowing({ aborted: true }, "reason")),
    "reason undefined",
  ),
  stores("not aborted", () => signalled(new AbortController().signal)),
  stores("a fake one that is not", () => signalled({ aborted: false })),
  stores("a fake one that is aborted by a 1", () => signalled({ aborted: 1 })),
  stores("null", () => signalled(null)),
  stores("a number", () => signalled(5)),
  stores("one that throws", () => withThrowing(batchWith(), "signal")),
  stores("one whose `aborted` throws", () => signalled(withThrowing({}, "aborted"))),
  stores("a revoked proxy", () => signalled(revoked())),
  stores("a trapped proxy", () => signalled(trapped(AbortSignal.abort()))),
  abortedAfterwards(),
];

function abortedAfterwards(): SubmittedCase {
  const make = () => {
    const controller = new AbortController();
    return batchWith({ signal: controller.signal, controller });
  };
  const afterwards = ({ controller }: { controller: AbortController }) => controller.abort();
  return { ...stores("aborted at once after the call", make), afterwards };
}
