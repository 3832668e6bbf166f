import { describe, expect, test } from "vitest";
import { anyUrlProblem, httpUrlProblem, parseTargets } from "../../src/cli/target-lines.js";

const parse = (text: string) => parseTargets(text, "list.txt", httpUrlProblem);

test("a file mixes URLs, JSON targets, comments and blank lines", () => {
  const text = [
    "\uFEFF# pages",
    "",
    "http://a.example/1#part",
    '  {"url": "https://a.example/2", "options": {"mode": "text", "depth": [1, {"x": null}]}}  ',
    "   ",
    "#http://a.example/no",
    '{"url": "http://a.example/3"}\r',
    "http://a.example/1#part\r",
  ].join("\n");
  // A byte order mark is taken off where the file is decoded.
  expect(parse(text.slice(1))).toEqual([
    { url: "http://a.example/1#part" },
    { url: "https://a.example/2", options: { mode: "text", depth: [1, { x: null }] } },
    { url: "http://a.example/3" },
    { url: "http://a.example/1#part" },
  ]);
});

describe("a bad line is named with its file and number", () => {
  test.each([
    ["a.example", "not an http or https URL"],
    ["ftp://a.example/", "not an http or https URL"],
    ["http://", "not an http or https URL"],
    ["http://me:secret@a.example/", "a URL with a user name or password is not fetched"],
    ['{"url": "http://a.example/"', "bad JSON: "],
    ['{"url": "ftp://a.example/"}', "not an http or https URL"],
    ['{"url": 7}', 'a JSON target needs a "url" that is a string'],
    ['{"options": {}}', 'a JSON target needs a "url" that is a string'],
    ['{"url": "http://a.example/", "option": {}}', 'a JSON target has "url" and "options", not "option"'],
    ['{"url": "http://a.example/", "options": null}', "options are not a plain JSON object"],
    ['{"url": "http://a.example/", "options": [1]}', "options are not a plain JSON object"],
    ['{"url": "http://a.example/", "options": {"x": "\\ud800"}}', "options hold a lone surrogate"],
    ['{"url": "http://a.example/\\ud800"}', '"url" holds a lone surrogate'],
    ['["http://a.example/"]', "not an http or https URL"],
    ["http://a.example/\uFFFD", "not UTF-8 text"],
    ["http://a.example/x\ta note", "white space or a control character in a URL"],
    ["http://a.example/x # a note", "white space or a control character in a URL"],
    ["http://a.example/\u0000", "white space or a control character in a URL"],
    ['{"url": "http://a.example/x\\ny"}', "white space or a control character in a URL"],
  ])("%s", (line, problem) => {
    expect(() => parse(`# one\n\nhttp://a.example/\n${line}\n`)).toThrow(`list.txt:4: ${problem}`);
  });
});

test.each([["\n"], ["\r\n"], ["\r"]])("lines may end with %j", (end) => {
  const lines = ["http://a.example/1", "# two", "http://a.example/2", ""];
  expect(parse(lines.join(end))).toEqual([{ url: "http://a.example/1" }, { url: "http://a.example/2" }]);
  expect(() => parse(["http://a.example/1", "x"].join(end))).toThrow("list.txt:2: not an http or https URL");
});

test("a file without targets is refused", () => {
  expect(() => parse("\n# nothing\n")).toThrow("list.txt: no targets in it");
});

test("a fetch of one's own takes any text for a URL, but not an empty one", () => {
  const targets = parseTargets('page 7\n{"url": "urn:x"}', "list.txt", anyUrlProblem);
  expect(targets).toEqual([{ url: "page 7" }, { url: "urn:x" }]);
  expect(() => parseTargets('{"url": ""}', "list.txt", anyUrlProblem)).toThrow("list.txt:1: an empty URL");
});
