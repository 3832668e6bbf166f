/** Characters that a terminal shows two columns wide: East Asian ones and pictures. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH = /\p{Mark}|\p{Cf}/u;
const CONTROL = /\p{Cc}/gu;

/** Text that moves no cursor and sets no colour, whoever wrote it. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => (/\s/.test(character) ? " " : "\uFFFD"));
}

/** The same, line by line. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** The columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  let total = 0;
  for (const character of text) total += characterWidth(character);
  return total;
}

/** The text in exactly `width` columns: filled up with blanks, or cut with an ellipsis. */
export function fitText(text: string, width: number): string {
  if (textWidth(text) <= width) return text + " ".repeat(width - textWidth(text));
  let kept = "";
  let used = 0;
  for (const character of text) {
    if (used + characterWidth(character) > width - 1) break;
    kept += character;
    used += characterWidth(character);
  }
  return `${kept}…${" ".repeat(width - used - 1)}`;
}

function characterWidth(character: string): number {
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
