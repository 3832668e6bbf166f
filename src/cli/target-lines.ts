import { EncodeError, encodeOptions } from "../runner/encode-targets.js";
import type { Target } from "../target.js";
import { CommandError } from "./command-error.js";

/** Says what is wrong with a URL, or undefined where nothing is. */
export type UrlProblem = (url: string) => string | undefined;

/** What the default fetch can get: http and https URLs without a password. */
export const httpUrlProblem: UrlProblem = (url) => {
  // A parser drops tabs and escapes blanks: two columns of a table would become one address.
  if (/[\s\p{Cc}]/u.test(url)) return "white space or a control character in a URL";
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") return "not an http or https URL";
  if (parsed.username !== "" || parsed.password !== "") return "a URL with a user name or password is not fetched";
  return undefined;
};

/** A fetch of one's own may be given any text. */
export const anyUrlProblem: UrlProblem = (url) => (url === "" ? "an empty URL" : undefined);

/** The targets of one file: a URL a line or a JSON target a line; blank lines and those with `#` first are skipped. */
export function parseTargets(text: string, file: string, urlProblem: UrlProblem): Target<object>[] {
  const targets: Target<object>[] = [];
  for (const [index, raw] of text.split(/\r\n?|\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    try {
      targets.push(parseLine(line, urlProblem));
    } catch (error) {
      if (error instanceof LineError) throw new CommandError(`${file}:${index + 1}: ${error.message}`);
      throw error;
    }
  }
  if (targets.length === 0) throw new CommandError(`${file}: no targets in it`);
  return targets;
}

class LineError extends Error {}

function parseLine(line: string, urlProblem: UrlProblem): Target<object> {
  if (line.includes("\uFFFD")) throw new LineError("not UTF-8 text");
  const target = line.startsWith("{") ? parseJsonTarget(line) : { url: line };
  const problem = urlProblem(target.url);
  if (problem !== undefined) throw new LineError(problem);
  return target;
}

function parseJsonTarget(line: string): Target<object> {
  const { url, options, ...others } = parseJson(line);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new LineError(`a JSON target has "url" and "options", not ${JSON.stringify(unknown)}`);
  if (typeof url !== "string") throw new LineError('a JSON target needs a "url" that is a string');
  if (!url.isWellFormed()) throw new LineError('"url" holds a lone surrogate');
  if (options === undefined) return { url };
  checkOptions(options);
  return { url, options };
}

function parseJson(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new LineError(`bad JSON: ${(error as Error).message}`);
  }
}

function checkOptions(options: unknown): asserts options is object {
  try {
    encodeOptions(options);
  } catch (error) {
    if (error instanceof EncodeError) throw new LineError(error.message);
    throw error;
  }
}
