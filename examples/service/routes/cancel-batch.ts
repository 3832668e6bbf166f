import { ownedJob } from "../owned-job.js";
import type { App, Parts } from "../parts.js";
import { BatchParams, Cancelled, failures } from "../schemas.js";

export function cancelBatch(app: App, { runner }: Parts): void {
  const schema = {
    operationId: "cancelBatch",
    summary: "Cancel a batch",
    description: "The page being fetched is still finished; no later one is begun.",
    params: BatchParams,
    response: { 200: Cancelled, ...failures(400, 401, 404, 500, 503) },
  };
  app.delete("/batch/:id", { schema }, async (request) => {
    const { id } = request.params;
    await ownedJob(runner, id, request.holder);
    const cancelled = await runner.cancel(id);
    return { cancelled, job: await ownedJob(runner, id, request.holder) };
  });
}
