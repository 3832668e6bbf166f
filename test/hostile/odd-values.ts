import { MARK, SECRET } from "./scene.js";

export function throwing(..._arguments: unknown[]): never {
  throw new Error(SECRET);
}

/** An object on which every operation throws. */
export function trapped(target: object = {}): object {
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, throwing]);
  return new Proxy(target, Object.fromEntries(traps));
}

export function revoked(target: object = {}): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** The value with properties of which each throws when it is read. */
export function withThrowing<T extends object>(value: T, ...names: PropertyKey[]): T {
  for (const name of names) Object.defineProperty(value, name, { get: throwing, enumerable: true, configurable: true });
  return value;
}

/** The value with a property that answers each read with the next of these, and then always with the last. */
export function withChanging<T extends object>(value: T, name: PropertyKey, answers: readonly unknown[]): T {
  let read = 0;
  const get = () => answers[Math.min(read++, answers.length - 1)];
  return Object.defineProperty(value, name, { get, enumerable: true, configurable: true });
}

/** Levels of nesting around a value. */
export function nested(levels: number, wrap: (inner: unknown) => unknown, core: unknown = MARK): unknown {
  let value = core;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

/** What passes for a promise. */
export function thenable(then: unknown): object {
  return { then };
}
