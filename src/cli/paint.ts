import { styleText } from "node:util";

export type Colour = "green" | "red" | "yellow" | "dim";
/** Colours a text, or leaves it alone where colours are not wanted. */
export type Paint = (colour: Colour, text: string) => string;

export const noPaint: Paint = (_colour, text) => text;

/** Colours for a stream that shows them; `NO_COLOR`, `FORCE_COLOR` and `TERM` are respected. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  if (!stream.isTTY || !stream.hasColors()) return noPaint;
  // By itself it would look at stdout, which may go elsewhere.
  return (colour, text) => (text === "" ? "" : styleText(colour, text, { validateStream: false }));
}
