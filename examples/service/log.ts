import { type DestinationStream, type Logger, pino } from "pino";

/** A request, an answer or an error is logged by what can be no secret; everything else about it stays out, whoever logs it. */
const serializers = {
  req: ({ id, method }: { id?: unknown; method?: unknown }) => ({ id, method }),
  res: ({ statusCode }: { statusCode?: unknown }) => ({ statusCode }),
  err: ({ code }: { code?: unknown }) => ({ code }),
};

export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, serializers };
  return destination === undefined ? pino(options) : pino(options, destination);
}
