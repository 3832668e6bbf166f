import type { Static } from "@fastify/type-provider-typebox";
import { ownedJob } from "../owned-job.js";
import type { App, Parts, Runner } from "../parts.js";
import { BatchPage, BatchParams, failures, PageQuery, type TargetView } from "../schemas.js";

export function readBatch(app: App, { runner }: Parts): void {
  const schema = {
    operationId: "readBatch",
    summary: "Read a batch, and its targets page by page",
    description: "The batch is kept anew from each read on.",
    params: BatchParams,
    querystring: PageQuery,
    response: { 200: BatchPage, ...failures(400, 401, 404, 500, 503) },
  };
  app.get("/batch/:id", { schema }, async (request) => {
    const { id } = request.params;
    const { cursor = -1, limit = 100 } = request.query;
    const job = await ownedJob(runner, id, request.holder);
    const targets = await targetsAfter(runner, id, cursor, limit);
    const last = targets.at(-1);
    const more = last !== undefined && last.index < job.targetsTotal - 1;
    return { job, targets, ...(more ? { next: last.index } : {}) };
  });
}

async function targetsAfter(
  runner: Runner,
  id: string,
  cursor: number,
  limit: number,
): Promise<Static<typeof TargetView>[]> {
  const page: Static<typeof TargetView>[] = [];
  if (limit === 0) return page;
  for await (const target of runner.results(id)) {
    if (target.index > cursor) page.push(target);
    if (page.length === limit) break;
  }
  return page;
}
