import { expect, test } from "vitest";
import { call, startExample } from "./service-under-test.js";

interface Operation {
  operationId: string;
  summary: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  components: { securitySchemes: object };
  security: object[];
  paths: Record<string, Record<string, Operation>>;
}

async function readDocument(): Promise<Document> {
  const { service } = await startExample();
  return (await call(service.port, "GET", "/openapi.json")).body as unknown as Document;
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

test("the OpenAPI document has each route, with every status that it answers with", async () => {
  const document = await readDocument();
  const statuses = operationsOf(document).map(({ path, method, operation }) => [
    `${method} ${path}`,
    operation.operationId,
    Object.keys(operation.responses).join(" "),
  ]);
  expect([document.openapi, document.info.title]).toEqual(["3.1.0", "Batches"]);
  expect(statuses.sort()).toEqual([
    ["delete /v1/batch/{id}", "cancelBatch", "200 400 401 404 500 503"],
    ["get /healthz", "health", "200 503"],
    ["get /metrics", "metrics", "200 500"],
    ["get /v1/batch/{id}", "readBatch", "200 400 401 404 500 503"],
    ["get /v1/batch/{id}/events", "watchBatch", "200 400 401 404 500 503"],
    ["get /v1/batch/{id}/results", "readResults", "200 400 401 404 500 503"],
    ["post /v1/batch", "submitBatch", "200 202 400 401 413 415 429 500 503"],
  ]);
});

test("callers' routes ask for a key in the document, the others for none", async () => {
  const document = await readDocument();
  expect(document.components.securitySchemes).toEqual({ apiKey: { type: "http", scheme: "bearer" } });
  expect(document.security).toEqual([{ apiKey: [] }]);
  for (const { path, operation } of operationsOf(document)) {
    expect({ path, security: operation.security }).toEqual({
      path,
      security: path.startsWith("/v1") ? undefined : [],
    });
  }
});

test("each parameter, body and answer of the document has a description or a schema, and each path parameter is declared", async () => {
  const document = await readDocument();
  for (const { path, method, operation } of operationsOf(document)) {
    const { parameters = [], requestBody, responses } = operation;
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name, required }) => [name, required])).toEqual(path.includes("{id}") ? [["id", true]] : []);
    const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {}));
    const schemas = [...parameters, ...bodies].map(({ schema }) => schema);
    expect(schemas.length).toBeGreaterThan(0);
    for (const schema of schemas) expect(schema).toHaveProperty("type");
    for (const { description } of Object.values(responses)) expect(description).not.toBe("");
    expect(requestBody !== undefined).toBe(method === "post");
  }
});

test("the document holds no reference that leads nowhere and nothing that only the validator knows", async () => {
  const text = JSON.stringify(await readDocument());
  expect(text).not.toMatch(/\$ref|\$id|"~|undefined/);
});
