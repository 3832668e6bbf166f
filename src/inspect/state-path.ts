export type StateValue = string | { readonly [key: string]: StateValue | undefined };

/** The paths of the active leaves: `running.inFlight`; several within a parallel state. */
export function leafPaths(value: StateValue, outer = ""): string[] {
  if (typeof value === "string") return [outer + value];
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined || isEmpty(inner) ? [outer + key] : leafPaths(inner, `${outer}${key}.`),
  );
}

/** The same as one text, to tell whether the state is another: this is asked at each step of each actor. */
export function pathOf(value: StateValue): string {
  let path = "";
  let rest = value;
  while (typeof rest !== "string") {
    const [key, ...others] = Object.keys(rest);
    if (key === undefined || others.length > 0) return path + leafPaths(rest).join(" ");
    path += `${key}.`;
    rest = rest[key] ?? "";
  }
  return path + rest;
}

/** `inFlight` of `running.inFlight`. */
export function lastKey(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function isEmpty(value: StateValue): boolean {
  return typeof value !== "string" && Object.keys(value).length === 0;
}
