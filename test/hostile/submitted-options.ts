import { nested, revoked, throwing, trapped, withChanging, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";
import { batchAround, batchWith, invalid, type SubmittedCase, stores } from "./submitted-case.js";

const NOT_PLAIN = "options are not a plain JSON object";
const NO_NUMBER = "options hold a number that JSON cannot";
const LONE = "options hold a lone surrogate";
const TOO_DEEP = "options are nested too deeply";
const UNREADABLE = "cannot be read";

function refusedAs(name: string, make: () => unknown, reason: string): SubmittedCase {
  return invalid(name, () => batchAround({ url: SECRET, options: make() }), reason);
}

function storedAs(name: string, make: () => unknown, options: string): SubmittedCase {
  return stores(name, () => batchWith({ targets: [{ url: SECRET, options: make() }] }), {
    targets: [[SECRET, options]],
  });
}

const inside = (value: unknown) => ({ [MARK]: { deep: [value] } });
const arrays = (levels: number) => ({ other: nested(levels, (inner) => [inner]) });
const objects = (levels: number) => ({ other: nested(levels, (inner) => ({ o: inner })) });

export const REFUSED_OPTIONS: SubmittedCase[] = [
  refusedAs("null", () => null, NOT_PLAIN),
  refusedAs("a string", () => SECRET, NOT_PLAIN),
  refusedAs("an array", () => [{ mode: SECRET }], NOT_PLAIN),
  refusedAs("a function", () => throwing, NOT_PLAIN),
  refusedAs("a Map", () => new Map([[SECRET, SECRET]]), NOT_PLAIN),
  refusedAs(
    "an instance of a class",
    () =>
      new (class {
        mode = SECRET;
      })(),
    NOT_PLAIN,
  ),
  refusedAs("of another prototype", () => ({ __proto__: { mode: SECRET } }), NOT_PLAIN),
  refusedAs("a revoked proxy", () => revoked(), UNREADABLE),
  refusedAs("a trapped proxy", () => trapped(), UNREADABLE),
  refusedAs("a getter that throws", () => withThrowing({}, "mode"), UNREADABLE),
  refusedAs("a toJSON", () => ({ toJSON: () => ({}) }), NOT_PLAIN),
  refusedAs("NaN", () => inside(Number.NaN), NO_NUMBER),
  refusedAs("1e400, which is Infinity", () => inside(Number("1e400")), NO_NUMBER),
  refusedAs("a bigint", () => inside(1n), NOT_PLAIN),
  refusedAs("a symbol", () => inside(Symbol(SECRET)), NOT_PLAIN),
  refusedAs("a Date", () => inside(new Date(0)), NOT_PLAIN),
  refusedAs("a Buffer", () => inside(Buffer.from(SECRET)), NOT_PLAIN),
  refusedAs("a RegExp", () => inside(/x/), NOT_PLAIN),
  refusedAs("a promise", () => inside(Promise.resolve(SECRET)), NOT_PLAIN),
  refusedAs("a boxed number", () => inside(Object(7)), NOT_PLAIN),
  refusedAs("undefined in an array", () => inside(undefined), NOT_PLAIN),
  refusedAs("a hole in an array", () => inside(Object.assign([], { 1: SECRET })), NOT_PLAIN),
  refusedAs("a million holes", () => inside(new Array(1_000_000)), NOT_PLAIN),
  refusedAs("a lone surrogate in a value", () => inside(`${SECRET}\ud800`), LONE),
  refusedAs("a lone surrogate in a key", () => inside({ [`${SECRET}\udc00`]: 1 }), LONE),
  refusedAs("a cycle", () => cyclic(), TOO_DEEP),
  refusedAs("500 arrays deep", () => arrays(500), TOO_DEEP),
  refusedAs("500 objects deep", () => objects(500), TOO_DEEP),
  refusedAs("100,000 arrays deep", () => arrays(100_000), TOO_DEEP),
  refusedAs("a trapped proxy inside", () => inside(trapped()), UNREADABLE),
];

export const STORED_OPTIONS: SubmittedCase[] = [
  storedAs("undefined", () => undefined, "{}"),
  storedAs("empty", () => ({}), "{}"),
  storedAs("without prototype", () => Object.assign(Object.create(null), { mode: MARK }), `{"mode":"${MARK}"}`),
  storedAs("frozen", () => Object.freeze({ mode: MARK }), `{"mode":"${MARK}"}`),
  storedAs("a proxy", () => new Proxy({ mode: MARK }, {}), `{"mode":"${MARK}"}`),
  storedAs("an own key `__proto__`", () => JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'),
  storedAs("`__proto__` deep inside", () => JSON.parse('{"a":[{"__proto__":1}]}'), '{"a":[{"__proto__":1}]}'),
  storedAs(
    "`constructor` and `prototype`",
    () => ({ prototype: 1, constructor: {} }),
    '{"constructor":{},"prototype":1}',
  ),
  storedAs(
    "`toString` and `hasOwnProperty`",
    () => ({ toString: 1, hasOwnProperty: 2 }),
    '{"hasOwnProperty":2,"toString":1}',
  ),
  storedAs("an empty key", () => ({ "": 1 }), '{"":1}'),
  storedAs("a key with a NUL", () => ({ "a\0b": 1 }), '{"a\\u0000b":1}'),
  storedAs("a value with a NUL", () => ({ mode: "a\0b" }), '{"mode":"a\\u0000b"}'),
  storedAs("-0", () => ({ other: -0 }), '{"other":0}'),
  storedAs(
    "the largest and the smallest number",
    () => ({ a: Number.MAX_VALUE, b: 5e-324 }),
    '{"a":1.7976931348623157e+308,"b":5e-324}',
  ),
  storedAs("undefined values", () => ({ mode: undefined, other: undefined }), "{}"),
  storedAs("symbol keys", () => ({ [Symbol(SECRET)]: throwing, mode: MARK }), `{"mode":"${MARK}"}`),
  storedAs("hidden properties", () => Object.defineProperty({}, "mode", { get: throwing }), "{}"),
  storedAs(
    "a getter",
    () => ({
      get mode() {
        return MARK;
      },
    }),
    `{"mode":"${MARK}"}`,
  ),
  storedAs("a getter that changes between reads", () => withChanging({}, "mode", [MARK, 5n]), `{"mode":"${MARK}"}`),
  storedAs(
    "standard options of other types",
    () => ({ recover: null, mode: 5, context: "x" }),
    '{"mode":5,"context":"x","recover":null}',
  ),
  storedAs("a toJSON that is no function", () => ({ toJSON: 5 }), '{"toJSON":5}'),
  storedAs("a hundred arrays deep", () => arrays(100), JSON.stringify(arrays(100))),
  storedAs("a hundred objects deep", () => objects(100), JSON.stringify(objects(100))),
  storedAs("498 arrays deep", () => arrays(498), JSON.stringify(arrays(498))),
  storedAs(
    "an array with methods of its own",
    () => ({ other: withThrowing([1], "map", "toJSON", "length2") }),
    '{"other":[1]}',
  ),
  storedAs("1 MB", () => ({ mode: MARK.repeat(160_000) }), `{"mode":"${MARK.repeat(160_000)}"}`),
];

function cyclic(): object {
  const options: Record<string, unknown> = {};
  options.inner = [options, options];
  return options;
}
