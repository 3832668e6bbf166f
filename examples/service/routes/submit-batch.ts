import { findRefusedTarget } from "../pages/check-targets.js";
import type { App, Parts } from "../parts.js";
import { Refusal } from "../refusal.js";
import { Accepted, BatchBody, BatchHeaders, failures } from "../schemas.js";

export function submitBatch(app: App, { settings, runner, gate }: Parts): void {
  const schema = {
    operationId: "submitBatch",
    summary: "Submit a batch of pages",
    description: "202 for a new batch. 200 where the same one is live or kept: the same targets, or the same key.",
    headers: BatchHeaders,
    body: BatchBody,
    response: { 200: Accepted, 202: Accepted, ...failures(400, 401, 413, 415, 429, 500, 503) },
  };
  app.post("/batch", { schema }, async (request, reply) => {
    const { targets } = request.body;
    // What is too long is refused for that, before any host is looked up.
    if (targets.length <= settings.targetsPerJob) {
      const refused = await findRefusedTarget(targets, gate);
      if (refused !== undefined) {
        const { index, reason } = refused;
        throw new Refusal(400, { code: "ERR_INVALID_TARGET", message: `${reason}, at index ${index}`, index });
      }
    }
    const { caller, callerClass } = request.holder;
    const idempotencyKey = request.headers["idempotency-key"];
    const submitted = await runner.submit({
      caller,
      callerClass,
      targets,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return reply.code(submitted.reused ? 200 : 202).send(submitted);
  });
}
