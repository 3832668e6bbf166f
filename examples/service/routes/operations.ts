import type { App, Parts } from "../parts.js";
import { failures, Health } from "../schemas.js";

/** What the people who run the service ask it; none of it tells of a caller or a URL. */
export function operations(app: App, { metrics, isDraining }: Parts): void {
  const health = {
    operationId: "health",
    summary: "Whether the service takes batches",
    response: { 200: Health, 503: Health },
    security: [],
  };
  app.get("/healthz", { schema: health }, async (_request, reply) => {
    const draining = isDraining();
    return reply.code(draining ? 503 : 200).send({ status: draining ? "draining" : "ok" });
  });

  const scrape = {
    operationId: "metrics",
    summary: "Metrics for Prometheus",
    response: {
      200: { description: "Metrics", content: { "text/plain": { schema: { type: "string" } } } },
      ...failures(500),
    },
    security: [],
  };
  app.get("/metrics", { schema: scrape }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );

  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
}
