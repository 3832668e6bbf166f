import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Caller } from "fairbatch";
import { SettingError } from "./settings.js";

/** Whom a key belongs to. The key itself is kept nowhere: only its hash is. */
export interface KeyHolder {
  caller: Caller & { keySha256: string };
  callerClass: string;
}

export interface ApiKeys {
  /** The holder of a key, or undefined. */
  holderOf(key: string): KeyHolder | undefined;
  /** Any holder of that name, for a job that is taken up again. */
  named(name: string): KeyHolder | undefined;
}

/** Reads a file of keys: `name class sha256` a line, `#` begins a comment. A caller may have several keys, to change them. */
export async function readApiKeys(file: string): Promise<ApiKeys> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new SettingError("API_KEYS_FILE cannot be read");
  });
  return apiKeys(parseHolders(text));
}

function parseHolders(text: string): KeyHolder[] {
  const holders: KeyHolder[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [entry = ""] = line.split("#");
    if (entry.trim() === "") continue;
    const match = /^\s*([\w.@-]{1,100})\s+([\w.-]{1,100})\s+([0-9a-f]{64})\s*$/.exec(entry);
    // The line itself may hold a key by mistake, and is not told.
    if (match === null) throw new SettingError(`API_KEYS_FILE must hold "name class sha256" in line ${index + 1}`);
    const [, name = "", callerClass = "", keySha256 = ""] = match;
    holders.push({ caller: { name, keySha256 }, callerClass });
  }
  if (holders.length === 0) throw new SettingError("API_KEYS_FILE must hold one key at least");
  return holders;
}

function apiKeys(holders: readonly KeyHolder[]): ApiKeys {
  const hashed = holders.map((holder) => ({ holder, hash: Buffer.from(holder.caller.keySha256, "hex") }));
  const byName = new Map(holders.map((holder) => [holder.caller.name, holder]));
  return {
    holderOf(key) {
      const given = createHash("sha256").update(key).digest();
      let found: KeyHolder | undefined;
      // Each is compared, wherever the right one stands, so that the time taken tells nothing.
      for (const { holder, hash } of hashed) if (timingSafeEqual(given, hash)) found = holder;
      return found;
    },
    named: (name) => byName.get(name),
  };
}
