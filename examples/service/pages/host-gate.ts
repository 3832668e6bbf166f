import type { LookupAddress, LookupOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { TargetError } from "fairbatch";
import { isPublicAddress } from "./public-address.js";

/** Node's `dns.lookup`, as far as it is used here. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Says which hosts may be asked. */
export interface HostGate {
  /** False for an address, written in a URL as its host, that may not be asked. */
  admitsLiteral(host: string): boolean;
  /** False where a name resolves to an address that may not be asked; true where it does not resolve now. */
  admitsName(host: string): Promise<boolean>;
  /** For `http.request`: resolves a name and fails where an address may not be asked, so that exactly what was checked is dialled. */
  lookup: LookupFunction;
}

export function refusedHost(): TargetError {
  return new TargetError("host not allowed", { hint: "only hosts with public addresses are fetched" });
}

/** Lets only hosts through of which every address is public; all of them where private ones are allowed. */
export function hostGate(allowPrivate: boolean, resolve: Resolve): HostGate {
  const admits = (address: string) => allowPrivate || isPublicAddress(address);
  const admitsAll = (addresses: LookupAddress[]) => addresses.every(({ address }) => admits(address));
  return {
    admitsLiteral: (host) => isIP(host) === 0 || admits(host),
    admitsName: (host) =>
      new Promise((answer) => {
        if (allowPrivate || isIP(host) !== 0) answer(true);
        else resolve(host, { all: true }, (error, addresses) => answer(error !== null || admitsAll(addresses)));
      }),
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        const [first] = addresses ?? [];
        if (error !== null) callback(error, "", 0);
        else if (first === undefined || !admitsAll(addresses)) callback(refusedHost(), "", 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
  };
}

/** A URL's host as an address or a name, without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}
