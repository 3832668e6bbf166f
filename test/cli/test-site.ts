import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** A real HTTP server on 127.0.0.1. A test says how each path answers; any other path answers at once with its own name. */
export class TestSite {
  /** The paths asked for, in order. */
  readonly asked: string[] = [];
  readonly #pages = new Map<string, Page>();
  readonly #server: Server;
  #onAsked = () => {};

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? "";
      this.asked.push(path);
      this.#onAsked();
      const page = this.#pages.get(path);
      if (page === undefined) response.end(`page ${path}`);
      else page(response, request);
    });
  }

  static async start(): Promise<TestSite> {
    const site = new TestSite();
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve));
    return site;
  }

  page(path: string, page: Page): void {
    this.#pages.set(path, page);
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** A page that answers only when told to. */
  gate(path: string): { open: () => void } {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.page(path, (response) => void opened.then(() => response.end(`page ${path}`)));
    return { open };
  }

  /** Resolves once the path was asked for. */
  async wasAsked(path: string): Promise<void> {
    while (!this.asked.includes(path)) {
      await new Promise<void>((resolve) => {
        this.#onAsked = resolve;
      });
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
