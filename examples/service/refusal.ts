import { BatchError, type BatchErrorCode } from "fairbatch";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorBody } from "./schemas.js";

/** How long a client should wait before it asks a busy service again. */
const RETRY_AFTER_SECONDS = 2;

const STATUS_OF: Record<BatchErrorCode, number> = {
  ERR_NO_TARGETS: 400,
  ERR_INVALID_TARGET: 400,
  ERR_TOO_MANY_TARGETS: 413,
  ERR_CALLER_BUSY: 429,
  ERR_BUSY: 503,
  ERR_CLOSED: 503,
  ERR_STORE_IN_USE: 503,
};

/** What a route throws to answer with a status and a code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** One answer for a job of somebody else and for one that never was. */
export function notFound(): Refusal {
  return new Refusal(404, { code: "ERR_NOT_FOUND", message: "not found" });
}

/** The service's error handler: whatever was thrown becomes a status and a code, and what is unexpected is told to nobody. */
export function sendRefusal(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = refusalOf(error);
  if (status === 500) request.log.error({ code: error.code }, "request failed");
  if (status === 429 || status === 503) reply.header("retry-after", RETRY_AFTER_SECONDS);
  if (status === 401) reply.header("www-authenticate", "Bearer");
  return reply.code(status).type("application/json").send(body);
}

function refusalOf(error: FastifyError): { status: number; body: ErrorBody } {
  if (error instanceof Refusal) return error;
  if (error instanceof BatchError) return { status: STATUS_OF[error.code], body: batchErrorBody(error) };
  if (error.validation !== undefined) return { status: 400, body: invalidRequest(error.validation[0]?.instancePath) };
  if (error.code?.startsWith("SQLITE_BUSY")) {
    return { status: 503, body: { code: "ERR_STORE_BUSY", message: "the store is busy" } };
  }
  const { statusCode: status = 500 } = error;
  if (status < 400 || status > 499) return { status: 500, body: { code: "ERR_INTERNAL", message: "internal error" } };
  if (status === 413)
    return { status, body: { code: "ERR_BODY_TOO_LARGE", message: "the request's body is too large" } };
  return { status, body: { code: "ERR_INVALID_REQUEST", message: error.message } };
}

function batchErrorBody({ code, message, index, limit, count }: BatchError): ErrorBody {
  return {
    code,
    message,
    ...(index === undefined ? {} : { index }),
    ...(limit === undefined ? {} : { limit }),
    ...(count === undefined ? {} : { count }),
  };
}

/** Names the place and never the value, which may be a URL. */
function invalidRequest(place = ""): ErrorBody {
  const target = /^\/targets\/(\d+)/.exec(place);
  if (target !== null) {
    const index = Number(target[1]);
    return { code: "ERR_INVALID_TARGET", message: `invalid target at index ${index}`, index };
  }
  return { code: "ERR_INVALID_REQUEST", message: place === "" ? "invalid request" : `invalid request at ${place}` };
}
