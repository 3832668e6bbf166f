import { ownedJob } from "../owned-job.js";
import type { App, Parts } from "../parts.js";
import { progressStream } from "../progress-stream.js";
import { BatchParams, failures } from "../schemas.js";

export function streamEvents(app: App, { settings, runner }: Parts): void {
  const schema = {
    operationId: "watchBatch",
    summary: "Follow a batch",
    description: "Server-sent events `job`: the batch now, and at each change, until it has ended.",
    params: BatchParams,
    response: {
      200: { description: "Events", content: { "text/event-stream": { schema: { type: "string" } } } },
      ...failures(400, 401, 404, 500, 503),
    },
  };
  app.get("/batch/:id/events", { schema }, async (request, reply) => {
    const { id } = request.params;
    await ownedJob(runner, id, request.holder);
    reply.header("cache-control", "no-store").header("x-accel-buffering", "no").type("text/event-stream");
    return reply.send(progressStream(runner.watch(id), settings.heartbeatMs));
  });
}
