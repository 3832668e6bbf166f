import swagger from "@fastify/swagger";
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import { type FastifyBaseLogger, fastify, LogController } from "fastify";
import { authenticate } from "./authenticate.js";
import type { App, Parts } from "./parts.js";
import { notFound, sendRefusal } from "./refusal.js";
import { cancelBatch } from "./routes/cancel-batch.js";
import { operations } from "./routes/operations.js";
import { readBatch } from "./routes/read-batch.js";
import { streamEvents } from "./routes/stream-events.js";
import { streamResults } from "./routes/stream-results.js";
import { submitBatch } from "./routes/submit-batch.js";

/** A client that sends its request so slowly is given up. */
const REQUEST_MS = 30_000;

/** The HTTP server, not yet listening. */
export async function createApp(parts: Parts, log: FastifyBaseLogger): Promise<App> {
  const app = fastify({
    loggerInstance: log,
    // In the place of Fastify's two lines a request there is one of ours, below, with the route for the URL.
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: parts.settings.maxRequestBytes,
    requestTimeout: REQUEST_MS,
    // A URL that cannot be read reaches no route.
    frameworkErrors: sendRefusal,
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  app.setErrorHandler(sendRefusal);
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions } = request;
    const durationMs = Math.round(reply.elapsedTime);
    request.log.info({ method, route: routeOptions.url, status: reply.statusCode, durationMs }, "answered");
  });
  await app.register(swagger, { openapi: DOCUMENT });
  await app.register(async (root) => operations(root, parts));
  await app.register(async (scope) => batchRoutes(scope, parts), { prefix: "/v1" });
  return app;
}

function batchRoutes(app: App, parts: Parts): void {
  authenticate(app, parts.apiKeys);
  for (const route of [submitBatch, readBatch, streamEvents, streamResults, cancelBatch]) route(app, parts);
}

const DOCUMENT = {
  openapi: "3.1.0" as const,
  info: { title: "Batches", version: "1.0.0", description: "Fetches batches of pages, fairly, for many callers." },
  components: { securitySchemes: { apiKey: { type: "http" as const, scheme: "bearer" } } },
  security: [{ apiKey: [] }],
};
