import { Readable } from "node:stream";
import { ownedJob } from "../owned-job.js";
import type { App, Parts, Runner } from "../parts.js";
import { BatchParams, failures } from "../schemas.js";

export function streamResults(app: App, { runner }: Parts): void {
  const schema = {
    operationId: "readResults",
    summary: "Read all targets of a batch as they stand now",
    description: "JSON lines in index order, read from the store as fast as they are taken.",
    params: BatchParams,
    response: {
      200: { description: "A target a line", content: { "application/x-ndjson": { schema: { type: "string" } } } },
      ...failures(400, 401, 404, 500, 503),
    },
  };
  app.get("/batch/:id/results", { schema }, async (request, reply) => {
    const { id } = request.params;
    await ownedJob(runner, id, request.holder);
    return reply.type("application/x-ndjson").send(Readable.from(linesOf(runner, id), { objectMode: false }));
  });
}

async function* linesOf(runner: Runner, id: string): AsyncGenerator<string> {
  for await (const target of runner.results(id)) yield `${JSON.stringify(target)}\n`;
}
