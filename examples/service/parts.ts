import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { BatchRunner, Caller } from "fairbatch";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { Registry } from "prom-client";
import type { ApiKeys, KeyHolder } from "./api-keys.js";
import type { HostGate } from "./pages/host-gate.js";
import type { Settings } from "./settings.js";

/** A target's options are any JSON object here: they are kept and handed to the fetch. */
export type Runner = BatchRunner<Caller, Record<string, unknown>>;

/** Fastify with the types of requests and answers taken from their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What the routes work with. */
export interface Parts {
  settings: Settings;
  apiKeys: ApiKeys;
  runner: Runner;
  gate: HostGate;
  metrics: Registry;
  isDraining(): boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Whose key came with the request; set for every route under /v1. */
    holder: KeyHolder;
  }
}
