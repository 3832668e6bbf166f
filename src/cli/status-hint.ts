const HINTS: Record<number, string> = {
  400: "the server does not understand the request: check the URL's path and query",
  401: "the page needs a login: give --fetch a module that sends the credentials",
  402: "the page wants payment first",
  403: "the server refuses this client: check that the page is public",
  404: "there is no such page: check the path",
  405: "the address does not answer to GET: give --fetch a module that asks as it wants",
  406: "the server has no form of the page for this client",
  407: "the proxy wants a login",
  408: "the server gave up waiting: run it again later",
  410: "the page is gone for good: take it off the list",
  414: "the URL is too long for the server",
  451: "the page is withheld for legal reasons",
  501: "the server cannot do this at all",
  504: "the server waited in vain for another one: run it again later",
};

/** What a person can do about an HTTP status that is no success. */
export function statusHint(status: number): string {
  const hint = HINTS[status];
  if (hint !== undefined) return hint;
  if (status >= 500) return "the server failed: run it again later, or tell its owner";
  if (status >= 400) return "the server refuses the request: check the URL";
  return "the answer leads to no page: open the URL in a browser to see where it ends";
}
