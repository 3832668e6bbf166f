// The pages that a service under load fetches: most answer at once, some after a while, some are missing.
import { createServer } from "node:http";

const SLOW_MS = 50;
const PAGE = "x".repeat(200);

export async function startPages() {
  const server = createServer(({ url }, response) => {
    if (url.startsWith("/missing")) response.writeHead(404).end();
    else if (url.startsWith("/slow")) setTimeout(() => response.end(PAGE), SLOW_MS);
    else response.end(PAGE);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: (kind, name) => `${origin}/${kind}/${name}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
