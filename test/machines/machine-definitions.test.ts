import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AnyStateMachine } from "xstate";
import * as machines from "../../src/machines/index.js";
import { statesWithin } from "../support/machine-transitions.js";

const all: [string, AnyStateMachine][] = Object.entries(machines);

/** Paths of all functions within a definition. */
function functionsIn(value: unknown, path = ""): string[] {
  if (typeof value === "function") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => functionsIn(inner, path === "" ? key : `${path}.${key}`));
}

/** The names that a definition refers to, each with what it must be. */
function namesIn(machine: AnyStateMachine): Record<"actions" | "guards" | "delays", Set<string>> {
  const names = { actions: new Set<string>(), guards: new Set<string>(), delays: new Set<string>() };
  for (const { config } of statesWithin(machine.root)) {
    for (const action of [config.entry, config.exit].flat())
      if (action !== undefined) names.actions.add(String(action));
    for (const delay of Object.keys(config.after ?? {})) names.delays.add(delay);
    const transitions = [...Object.values(config.on ?? {}), ...Object.values(config.after ?? {}), config.always ?? []];
    for (const transition of transitions.flat()) {
      if (typeof transition !== "object" || transition === null) continue;
      const { guard, actions } = transition as { guard?: unknown; actions?: unknown };
      if (guard !== undefined) names.guards.add(String(guard));
      for (const action of [actions].flat()) if (action !== undefined) names.actions.add(String(action));
    }
  }
  return names;
}

test("the three machines are what this folder exports", () => {
  expect(all.map(([name, machine]) => [name, machine.id]).sort()).toEqual([
    ["jobMachine", "job"],
    ["schedulerMachine", "scheduler"],
    ["workerMachine", "worker"],
  ]);
});

describe.each(all)("%s", (_name, machine) => {
  test("holds no function in its definition but the one that makes its first context", () => {
    expect(functionsIn(machine.config).filter((path) => path !== "context")).toEqual([]);
  });

  test("refers to what its setup names, and names nothing that it does not use", () => {
    const { actions, guards, delays } = machine.implementations;
    const used = namesIn(machine);

    expect({
      actions: Object.keys(actions).sort(),
      guards: Object.keys(guards).sort(),
      delays: Object.keys(delays).sort(),
    }).toEqual({
      actions: [...used.actions].sort(),
      guards: [...used.guards].sort(),
      delays: [...used.delays].sort(),
    });
  });

  test("says its events as noun.verb in lower case, and its states in camelCase", () => {
    const nodes = statesWithin(machine.root);
    const events = nodes.flatMap(({ config }) => Object.keys(config.on ?? {}));
    const states = nodes.flatMap(({ config }) => Object.keys(config.states ?? {}));

    expect(events.filter((name) => !/^[a-z]+\.[a-z]+$/.test(name))).toEqual([]);
    expect(states.filter((name) => !/^[a-z][a-zA-Z]*$/.test(name))).toEqual([]);
    expect([events.length > 0, states.length > 0]).toEqual([true, true]);
  });
});

test("the machines reach xstate and this package's shared words, and nothing else, through all they import", () => {
  const packages = new Set<string>();
  const files = new Set<string>();
  const visit = (url: URL) => {
    if (files.has(url.href)) return;
    files.add(url.href);
    for (const [, from] of readFileSync(url, "utf8").matchAll(/(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]/g)) {
      if (from?.startsWith(".")) visit(new URL(from.replace(/\.js$/, ".ts"), url));
      else packages.add(from as string);
    }
  };
  visit(new URL("../../src/machines/index.ts", import.meta.url));

  const source = fileURLToPath(new URL("../../src/", import.meta.url));
  const folders = [...files].map((file) => fileURLToPath(file).slice(source.length).split("/").slice(0, -1).join("/"));
  expect([...packages]).toEqual(["xstate"]);
  expect([...new Set(folders)].sort()).toEqual(["", "machines"]);
});
