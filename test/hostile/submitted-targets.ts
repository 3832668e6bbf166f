import { revoked, throwing, trapped, withChanging, withThrowing } from "./odd-values.js";
import { MARK, SECRET } from "./scene.js";
import { batchAround, batchWith, invalid, refuses, type SubmittedCase, stores, TARGET } from "./submitted-case.js";

const NO_TARGETS = "ERR_NO_TARGETS: no targets";
const UNREADABLE = "cannot be read";
const NO_URL = "url is not a string";
const LONE_URL = "url holds a lone surrogate";
const MEGABYTE = MARK.repeat(160_000);

const listed = (targets: unknown) => batchWith({ targets });
const at = (url: string): [string, string] => [url, "{}"];
const lengthOf = (length: unknown) => new Proxy([], { get: (_array, key) => (key === "length" ? length : undefined) });

export const TARGET_LISTS: SubmittedCase[] = [
  refuses("missing", () => listed(undefined), NO_TARGETS),
  refuses("null", () => listed(null), NO_TARGETS),
  refuses("empty", () => listed([]), NO_TARGETS),
  refuses("a string", () => listed(SECRET), NO_TARGETS),
  refuses("a Set", () => listed(new Set([TARGET])), NO_TARGETS),
  refuses("an object like an array", () => listed({ length: 1, 0: TARGET }), NO_TARGETS),
  refuses("a generator", () => listed([TARGET].values()), NO_TARGETS),
  refuses("arguments", () => listed(argumentsOf(TARGET)), NO_TARGETS),
  refuses("a typed array", () => listed(new Uint8Array(2)), NO_TARGETS),
  refuses("one that throws", () => withThrowing(batchWith(), "targets"), NO_TARGETS),
  refuses("a revoked proxy", () => listed(revoked([TARGET])), NO_TARGETS),
  refuses("a trapped proxy", () => listed(trapped([TARGET])), NO_TARGETS),
  refuses("of a length of -1", () => listed(lengthOf(-1)), NO_TARGETS),
  refuses("of a length of NaN", () => listed(lengthOf(Number.NaN)), NO_TARGETS),
  refuses('of a length of "1"', () => listed(lengthOf("1")), NO_TARGETS),
  refuses("of a length of 2^53", () => listed(lengthOf(2 ** 53)), NO_TARGETS),
  refuses("of four billion holes", () => listed(new Array(2 ** 32 - 1)), invalidAt(0, NO_URL)),
  refuses("longer than it is", () => listed(lengthOf(2 ** 53 - 1)), invalidAt(0, NO_URL)),
  invalid("with a hole", () => listed(Object.assign([TARGET], { 2: TARGET })), NO_URL),
  invalid("with a place that throws", () => listed(withThrowing([TARGET, 1], 1)), UNREADABLE),
  invalid("that shrinks while it is read", () => listed(shrinking()), NO_URL),
  stores("that grows while it is read", () => listed(growing())),
  stores("frozen", () => listed(Object.freeze([Object.freeze({ ...TARGET })]))),
  stores("a proxy", () => listed(new Proxy([TARGET], {}))),
  stores("of a subclass with a hostile iterator", () => listed(hostileArray(TARGET))),
  stores("with own methods that throw", () => listed(withThrowing([TARGET], "map", "slice", "forEach", "toJSON"))),
  stores("with more properties", () => listed(Object.assign([TARGET], { url: 5, [MARK]: 5 }))),
  mutatedAfterwards(),
];

export const TARGETS: SubmittedCase[] = [
  invalid("undefined", () => batchAround(undefined), NO_URL),
  invalid("null", () => batchAround(null), NO_URL),
  invalid("a URL alone", () => batchAround(SECRET), NO_URL),
  invalid("a symbol", () => batchAround(Symbol(SECRET)), NO_URL),
  invalid("an array", () => batchAround([SECRET]), NO_URL),
  invalid("a Map", () => batchAround(new Map([["url", SECRET]])), NO_URL),
  invalid("without a url", () => batchAround({ options: { mode: SECRET } }), NO_URL),
  invalid("of a number for a url", () => batchAround({ url: 7 }), NO_URL),
  invalid("of a URL object", () => batchAround({ url: new URL(SECRET) }), NO_URL),
  invalid("of a boxed url", () => batchAround({ url: Object(SECRET) }), NO_URL),
  invalid("of a url with a lone surrogate", () => batchAround({ url: `${SECRET}\ud83e` }), LONE_URL),
  invalid("whose url throws", () => batchAround(withThrowing({}, "url")), UNREADABLE),
  invalid("whose options throw", () => batchAround(withThrowing({ ...TARGET }, "options")), UNREADABLE),
  invalid("a revoked proxy", () => batchAround(revoked(TARGET)), UNREADABLE),
  invalid("a trapped proxy", () => batchAround(trapped(TARGET)), UNREADABLE),
  stores("of an empty url", () => listed([{ url: "" }]), { targets: [at("")] }),
  stores("of a url that is none", () => listed([{ url: " \n'\"" }]), { targets: [at(" \n'\"")] }),
  stores("of a url of 1 MB", () => listed([{ url: MEGABYTE }]), { targets: [at(MEGABYTE)] }),
  stores("of a url with a NUL", () => listed([{ url: `${MARK}\0tail` }]), { targets: [at(`${MARK}\0tail`)] }),
  stores("of a url beyond ASCII", () => listed([{ url: `${MARK}é😀\u2028` }]), { targets: [at(`${MARK}é😀\u2028`)] }),
  stores("of a url that changes between reads", () => listed([withChanging({}, "url", [SECRET, 5])])),
  stores("of options that change between reads", () => listed([withChanging({ ...TARGET }, "options", [{}, 5])])),
  stores("an instance of a class", () =>
    listed([
      new (class {
        url = SECRET;
      })(),
    ]),
  ),
  stores("a function", () => listed([Object.assign(() => {}, TARGET)])),
  stores("that inherits its url", () => listed([Object.create(TARGET)])),
  stores("with an own `__proto__`", () => listed([Object.assign(JSON.parse('{"__proto__":5}'), TARGET)])),
  stores("with more properties", () => listed([withThrowing({ ...TARGET }, "toJSON", "then", "mode")])),
  stores("twice the same object", () => listed([TARGET, TARGET]), { targets: [at(SECRET), at(SECRET)] }),
];

function invalidAt(index: number, reason: string): string {
  return `ERR_INVALID_TARGET(${index}): invalid target at index ${index}: ${reason}`;
}

function argumentsOf(..._values: unknown[]): IArguments {
  // biome-ignore lint/complexity/noArguments: what is like an array and is none
  return arguments;
}

function growing(): unknown[] {
  const targets: unknown[] = [];
  const get = () => {
    targets.push(TARGET);
    return SECRET;
  };
  targets.push(Object.defineProperty({}, "url", { get }));
  return targets;
}

function shrinking(): unknown[] {
  const targets: unknown[] = [TARGET, TARGET];
  const get = () => {
    targets.length = 1;
    return SECRET;
  };
  targets[0] = Object.defineProperty({}, "url", { get });
  return targets;
}

class HostileArray extends Array {
  static override get [Symbol.species]() {
    return throwing as unknown as ArrayConstructor;
  }
  override [Symbol.iterator]() {
    return throwing();
  }
}

function hostileArray(...targets: unknown[]): unknown[] {
  return Object.setPrototypeOf(targets, HostileArray.prototype) as unknown[];
}

function mutatedAfterwards(): SubmittedCase {
  const make = () => listed([{ url: SECRET, options: { deep: [MARK] } }]);
  const afterwards = (batch: { targets: { url: string; options: { deep: unknown[] } }[] }) => {
    const [target] = batch.targets;
    target!.options.deep.push(5n);
    target!.url = "changed";
    batch.targets.length = 0;
  };
  return { ...stores("changed after the call", make, { targets: [[SECRET, `{"deep":["${MARK}"]}`]] }), afterwards };
}
