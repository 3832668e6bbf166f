import type { ElkNode } from "elkjs/lib/elk-api.js";

interface Answer {
  id: number;
  data?: ElkNode;
  error?: unknown;
}

/**
 * Lays graphs out in a worker, which is fetched when the first is asked for. Speaks with elk's own worker directly: so its code
 * stays in one file, apart from ours.
 */
export class ElkLayout {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, { resolve(node: ElkNode): void; reject(error: Error): void }>();
  #nextId = 0;

  async layout(graph: ElkNode): Promise<ElkNode> {
    this.#worker ??= this.#start();
    const id = this.#nextId++;
    this.#worker.postMessage({ id, cmd: "layout", graph });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #start(): Worker {
    const worker = new Worker(new URL("elk-worker.js", document.baseURI));
    worker.addEventListener("message", ({ data: { id, data, error } }: MessageEvent<Answer>) => {
      const asker = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (data === undefined) asker?.reject(new Error("no layout", { cause: error }));
      else asker?.resolve(data);
    });
    worker.addEventListener("error", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("no layout"));
      this.#waiting.clear();
      this.#worker = undefined;
    });
    worker.postMessage({ id: this.#nextId++, cmd: "register", algorithms: ["layered"] });
    return worker;
  }
}
