import type { Database, Statement as Prepared } from "better-sqlite3";
import type { Compilable, CompiledQuery } from "kysely";

type Value = string | number | null;
type Values = Record<string, Value>;
type Parameters<V extends Values> = <K extends keyof V & string>(name: K) => V[K];

class Parameter {
  constructor(readonly name: string) {}
}

/** A query that was built and compiled once and is kept prepared: named values in, typed rows out. */
export interface Statement<V extends Values, Row> {
  /** Runs a write; resolves to the number of rows it changed. */
  run(values: V): number;
  first(values: V): Row | undefined;
  all(values: V): Row[];
  /** The rows up to and with the first that is the last one wanted. */
  upTo(values: V, isLast: (row: Row) => boolean): Row[];
}

/** Builds a query once with Kysely, where each `param("name")` stands for a value of that name and type, and keeps it prepared. */
export function prepare<V extends Values, Row>(
  database: Database,
  build: (param: Parameters<V>) => Compilable<Row>,
): Statement<V, Row> {
  // Kysely hands values through untouched, so a marker can travel in the place of the value that it names.
  const query = build(<K extends keyof V & string>(name: K) => new Parameter(name) as unknown as V[K]).compile();
  const bind = binder<V>(query);
  const prepared = database.prepare(query.sql) as Prepared<[Value[]], Row>;
  return {
    run: (values) => prepared.run(bind(values)).changes,
    first: (values) => prepared.get(bind(values)),
    all: (values) => prepared.all(bind(values)),
    upTo(values, isLast) {
      const rows: Row[] = [];
      for (const row of prepared.iterate(bind(values))) {
        rows.push(row);
        if (isLast(row)) break;
      }
      return rows;
    },
  };
}

function binder<V extends Values>(query: CompiledQuery): (values: V) => Value[] {
  const slots = query.parameters.map((slot) => (slot instanceof Parameter ? slot : (slot as Value)));
  return (values) => slots.map((slot) => (slot instanceof Parameter ? (values[slot.name] as Value) : slot));
}
