import { WriteStream } from "node:tty";
import { expect, test } from "vitest";
import { type Colour, paintFor } from "../../src/cli/paint.js";

const CODES: Record<Colour, [number, number]> = { green: [32, 39], red: [31, 39], yellow: [33, 39], dim: [2, 22] };

/** A stream that shows colours or does not, wherever the output of the tests goes. */
function stream(isTTY: boolean, colours: boolean): WriteStream {
  return Object.create(WriteStream.prototype, { isTTY: { value: isTTY }, hasColors: { value: () => colours } });
}

test.each(Object.entries(CODES))(
  "%s is painted for a stream that shows colours, whatever stdout is",
  (colour, codes) => {
    const paint = paintFor(stream(true, true));
    expect(paint(colour as Colour, "x")).toBe(`\u001B[${codes[0]}mx\u001B[${codes[1]}m`);
    expect(paint(colour as Colour, "")).toBe("");
  },
);

test.each([
  [false, true],
  [true, false],
])("nothing is painted for a stream that shows none (a terminal: %s, with colours: %s)", (isTTY, colours) => {
  expect(paintFor(stream(isTTY, colours))("red", "x")).toBe("x");
});
