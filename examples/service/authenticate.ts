import type { ApiKeys } from "./api-keys.js";
import type { App } from "./parts.js";
import { Refusal } from "./refusal.js";

/** Lets only requests with a known key through, before their body is read. */
export function authenticate(app: App, apiKeys: ApiKeys): void {
  app.decorateRequest("holder");
  app.addHook("onRequest", async (request) => {
    const [, key] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
    const holder = key === undefined ? undefined : apiKeys.holderOf(key);
    if (holder === undefined) throw new Refusal(401, { code: "ERR_UNAUTHORIZED", message: "an API key is needed" });
    request.holder = holder;
  });
}
