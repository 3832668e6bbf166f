import { TargetError } from "fairbatch";

/** Reads the URL of a page; throws a `TargetError`, which does not repeat it, where it is none. */
export function readPageUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new TargetError("not a valid URL");
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new TargetError("not an http or https URL");
  if (url.username !== "" || url.password !== "") throw new TargetError("a URL with a login in it");
  return url;
}
