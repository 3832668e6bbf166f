import type { Hello, Update } from "../protocol.js";

export type ConnectionState = "connecting" | "open" | "lost" | "ended";

interface Listener {
  hello(hello: Hello): void;
  update(update: Update): void;
  state(state: ConnectionState): void;
}

const RETRY_MS = 2_000;

/** Listens to the inspector until that ends or the page is left, and tries again when it is gone. */
export function connect(url: string, listener: Listener): void {
  listener.state("connecting");
  const stream = new EventSource(url);
  stream.addEventListener("open", () => listener.state("open"));
  stream.addEventListener("hello", (event) => listener.hello(JSON.parse(event.data)));
  stream.addEventListener("update", (event) => listener.update(JSON.parse(event.data)));
  stream.addEventListener("end", () => {
    stream.close();
    listener.state("ended");
  });
  stream.addEventListener("error", () => {
    listener.state("lost");
    // A browser tries a broken connection again by itself, and gives an answer that is no stream up for good.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => connect(url, listener), RETRY_MS);
  });
}
