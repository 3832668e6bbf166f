import { isIP } from "node:net";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const ANY_ADDRESS = ["0.0.0.0", "::"];

/**
 * Tells whether a request's `Host` is a name of ours. A page from elsewhere whose name was made to lead here (DNS rebinding) has
 * its own there; an address is no name that could be made to lead anywhere.
 */
export function allowedHosts(host: string): (header: string | undefined) => boolean {
  const names = new Set([...LOOPBACK, bracketed(host)]);
  const anyAddress = ANY_ADDRESS.includes(host);
  return (header) => {
    const name = header?.toLowerCase().replace(/:\d*$/, "");
    if (name === undefined) return false;
    return names.has(name) || (anyAddress && isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0);
  };
}

/** A host as it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}
