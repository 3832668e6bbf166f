import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const SLOW_MS = 400;

/** Starts a small site on 127.0.0.1 whose pages behave as pages of the real web do, good and bad. */
export async function startSite() {
  let refusals = 2;
  const pages = {
    "/slow": async (response) => {
      await delay(SLOW_MS);
      response.end("worth the wait");
    },
    "/missing": (response) => response.writeHead(404).end(),
    "/busy": (response) => {
      if (refusals-- > 0) response.writeHead(503, { "retry-after": "1" }).end();
      else response.end("here I am");
    },
    "/silent": () => {},
  };
  const plain = (response) => response.end("a plain page");
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://127.0.0.1");
    return (pages[pathname] ?? plain)(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: (path) => `http://127.0.0.1:${server.address().port}${path}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
