import Table from "cli-table3";
import { printable, textWidth } from "./printable.js";

const PADDING = 2;
const COLUMN_MIN = 6;
/** cli-table3 takes time by the square of the rows. */
const ROWS_AT_ONCE = 500;
const NO_LINE_ABOVE = { mid: "", "mid-mid": "", "left-mid": "", "right-mid": "" };

export interface TableText {
  /** A first row over all columns. */
  title?: string;
  head?: readonly string[];
  rows?: readonly (readonly (string | number)[])[];
}

/**
 * A table as text; many rows come as several tables of the same columns.
 * With a `width` no line is wider: the widest columns are narrowed and their texts wrapped.
 */
export function textTable({ title, head, rows = [] }: TableText, width = Number.POSITIVE_INFINITY): string {
  const texts = [...(head === undefined ? [] : [head]), ...rows].map((row) =>
    row.map((cell) => printable(String(cell))),
  );
  const span = title === undefined ? undefined : { content: printable(title), colSpan: head?.length ?? 1 };
  const natural = naturalWidths(texts, span);
  const widths = narrowed(natural, width);
  // Where texts are wrapped, only a line tells one row from the next.
  const lines = tableWidth(natural) > width;
  const cells = texts.map((row, index) =>
    row.map(
      (text, column): Cell => ({
        content: text,
        wrapOnWordBoundary: longestWord(text) <= (widths[column] ?? 0) - PADDING,
        ...(lines || index < 2 ? {} : { chars: NO_LINE_ABOVE }),
      }),
    ),
  );
  return draw(span === undefined ? cells : [[span], ...cells], widths);
}

/** A word that is wider than its column, such as a URL, has to be broken anywhere; it would be cut otherwise. */
type Cell = { content: string; colSpan?: number; wrapOnWordBoundary?: boolean; chars?: typeof NO_LINE_ABOVE };

function draw(rows: readonly Cell[][], colWidths: number[]): string {
  const tables: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const table = new Table({ style: { head: [], border: [] }, colWidths, wordWrap: true });
    table.push(...rows.slice(start, start + ROWS_AT_ONCE));
    tables.push(table.toString());
  }
  return tables.join("\n");
}

function longestWord(text: string): number {
  return text.split(" ").reduce((longest, word) => Math.max(longest, textWidth(word)), 0);
}

/** Each column as wide as its widest text, the last one wide enough for the title too. */
function naturalWidths(texts: readonly string[][], span: Cell | undefined): number[] {
  const columns = span?.colSpan ?? texts[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, column) =>
    texts.reduce((most, row) => Math.max(most, textWidth(row[column] ?? "") + PADDING), PADDING),
  );
  // cli-table3 wraps a spanning cell as if there were no borders under it.
  const missing = span === undefined ? 0 : textWidth(span.content) + PADDING - sum(widths);
  if (missing > 0) widths.push((widths.pop() ?? 0) + missing);
  return widths;
}

/** The widest column is narrowed, again and again, until all fit. */
function narrowed(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  while (tableWidth(widths) > width) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_MIN) break;
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function tableWidth(widths: readonly number[]): number {
  return sum(widths) + widths.length + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
