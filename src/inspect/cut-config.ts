/** Made once for each machine: all actors of a kind share its definition. */
const cuts = new WeakMap<object, object>();

/** A machine's definition as plain JSON: states, transitions, and the names of what they do. */
export function cutConfig(config: object): object {
  const known = cuts.get(config);
  if (known !== undefined) return known;
  const { context: _, ...definition } = config as { context?: unknown };
  const cut = cutValue(definition) as object;
  cuts.set(config, cut);
  return cut;
}

function cutValue(value: unknown): unknown {
  if (typeof value === "function") return { type: value.name };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cutValue);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cutValue(inner)]));
}
