import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { onTestFinished } from "vitest";
import { machineViews } from "../../src/inspect/machine-view.js";
import type { Hello, TargetPage, Update } from "../../src/inspect/protocol.js";

const FOLDER = new URL("../../dist/inspect/page/", import.meta.url);
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
const SECURITY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";

/** Serves the built page, and tells it what the test says and nothing else. */
export class PageServer {
  readonly url: string;
  /** The addresses that were asked for, with their queries. */
  readonly asked: string[] = [];
  targets: TargetPage | undefined;
  #hello: Hello;
  readonly #streams = new Set<ServerResponse>();
  #refuses = false;
  #isListened = () => {};
  readonly #listened = new Promise<void>((resolve) => {
    this.#isListened = resolve;
  });

  private constructor(port: number, hello: Hello) {
    this.url = `http://127.0.0.1:${port}/`;
    this.#hello = hello;
  }

  static async start(hello: Partial<Hello> = {}): Promise<PageServer> {
    const server = createServer((request, response) => void page.#answer(request.url ?? "/", response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const greeting: Hello = { source: "runner", machines: machineViews(), nowMs: 0, ...hello };
    const page = new PageServer((server.address() as AddressInfo).port, greeting);
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return page;
  }

  /** What is told before anybody listens would be lost: waits for the first. */
  async tell(update: Update): Promise<void> {
    await this.#listened;
    for (const stream of this.#streams) stream.write(`event: update\ndata: ${JSON.stringify(update)}\n\n`);
  }

  greet(hello: Partial<Hello>): void {
    this.#hello = { ...this.#hello, ...hello };
    for (const stream of this.#streams) this.#sayHello(stream);
  }

  /** Breaks every stream, and refuses others until `recover()`. */
  break(): void {
    this.#refuses = true;
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  /** Says that this was all, and breaks every stream. */
  end(): void {
    for (const stream of this.#streams) stream.end("event: end\ndata: {}\n\n");
    this.#streams.clear();
    this.#refuses = true;
  }

  recover(): void {
    this.#refuses = false;
  }

  async #answer(address: string, response: ServerResponse): Promise<void> {
    this.asked.push(address);
    response.setHeader("content-security-policy", SECURITY);
    const name = address.slice(1).split("?")[0] || "index.html";
    if (name === "stream") return this.#stream(response);
    if (name === "targets") {
      if (this.targets === undefined) return void response.writeHead(204).end();
      return void response.setHeader("content-type", "application/json").end(JSON.stringify(this.targets));
    }
    const body = await readFile(new URL(name, FOLDER)).catch(() => undefined);
    if (body === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", TYPES[extname(name)] ?? "text/plain").end(body);
  }

  #stream(response: ServerResponse): void {
    if (this.#refuses) return void response.destroy();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 50\n\n");
    this.#streams.add(response);
    this.#sayHello(response);
    this.#isListened();
  }

  #sayHello(response: ServerResponse): void {
    response.write(`event: hello\ndata: ${JSON.stringify(this.#hello)}\n\n`);
  }
}
