import { type Static, Type } from "@fastify/type-provider-typebox";

/** Any JSON object. */
const JsonObject = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });

const closed = { additionalProperties: false };

export const BatchBody = Type.Object(
  {
    targets: Type.Array(
      Type.Object(
        {
          url: Type.String({ maxLength: 8_192, description: "http or https, of a public host" }),
          options: Type.Optional(JsonObject),
        },
        closed,
      ),
      { description: "Fetched in this order, one at a time." },
    ),
  },
  closed,
);

export const BatchHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Without it, equal targets are the same batch." }),
  ),
});

export const Accepted = Type.Object({ id: Type.String(), reused: Type.Boolean() });

export const BatchParams = Type.Object({ id: Type.String() });

export const PageQuery = Type.Object(
  {
    cursor: Type.Optional(Type.Integer({ minimum: 0, description: "`next` of the page before." })),
    limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, default: 100, description: "0: the job alone." })),
  },
  closed,
);

const JobStatus = Type.Enum(["queued", "running", "done", "partial", "failed", "cancelled"]);

const JobView = Type.Object({
  id: Type.String(),
  status: JobStatus,
  error: Type.String(),
  targetsTotal: Type.Integer(),
  targetsDone: Type.Integer({ description: "Ended, well or not." }),
  targetsFailed: Type.Integer(),
  createdAt: Type.Integer({ description: "Unix seconds." }),
});

export const TargetView = Type.Object({
  index: Type.Integer(),
  url: Type.String(),
  options: JsonObject,
  status: Type.Enum(["pending", "running", "done", "failed"]),
  result: Type.Optional(Type.Object({ content: Type.String(), meta: Type.Optional(JsonObject) })),
  error: Type.String(),
  hint: Type.String(),
  attempts: Type.Integer(),
});

export const BatchPage = Type.Object({
  job: JobView,
  targets: Type.Array(TargetView),
  next: Type.Optional(Type.Integer({ description: "The cursor of the next page; absent on the last." })),
});

export const Cancelled = Type.Object({
  cancelled: Type.Boolean({ description: "False where the batch had ended before." }),
  job: JobView,
});

export const Health = Type.Object({ status: Type.Enum(["ok", "draining"]) });

export const Failure = Type.Object({
  code: Type.String({ description: "Stable, for programs." }),
  message: Type.String(),
  index: Type.Optional(Type.Integer({ description: "Of the target that is refused." })),
  limit: Type.Optional(Type.Integer()),
  count: Type.Optional(Type.Integer()),
});

export type ErrorBody = Static<typeof Failure>;

/** The answers that each of these statuses has besides its success. */
export function failures<S extends number>(...statuses: S[]): Record<S, typeof Failure> {
  return Object.fromEntries(statuses.map((status) => [status, Failure])) as Record<S, typeof Failure>;
}
