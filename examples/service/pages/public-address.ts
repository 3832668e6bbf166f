import { BlockList, isIP } from "node:net";

/** IPv4 that leads back into the machine or its networks, or is no address of one host: loopback, private, link-local, shared … */
const CLOSED_V4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
]);

/** Of IPv6 only this is given to public hosts: loopback, unique-local, link-local, multicast, mapped and translated IPv4 lie outside. */
const GLOBAL_V6 = blockList("ipv6", [["2000::", 3]]);

/** But for these: Teredo and its like, documentation, and 6to4, which holds an IPv4 address. */
const CLOSED_V6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** True for an address that a host on the public internet has. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !CLOSED_V4.check(address, "ipv4");
  // A zone (fe80::1%eth0) only makes sense on a local link.
  if (family !== 6 || address.includes("%")) return false;
  return GLOBAL_V6.check(address, "ipv6") && !CLOSED_V6.check(address, "ipv6");
}

function blockList(family: "ipv4" | "ipv6", subnets: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
