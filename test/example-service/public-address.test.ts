import { expect, test } from "vitest";
import { isPublicAddress } from "../../examples/service/pages/public-address.js";

const CLOSED = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
  169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.88.99.1
  192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255
  :: ::1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::ffff:0:127.0.0.1 ::ffff:8.8.8.8
  64:ff9b::7f00:1 64:ff9b:1::1 100::1 fc00::1 fd12:3456::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80::1 fe80::1%eth0
  febf::1 fec0::1 ff02::1 ffff::1 1fff:ffff::1 4000::1 5f00::1
  2001::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1 2002:7f00:1::1 2002:a00:1:: 3fff::1 3fff:fff::1
  2606:4700::1%eth0 localhost example.com 127.1 0x7f.1 2130706433 [::1]
`;

const OPEN = `
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  223.255.255.255
  2000::1 2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003::1 2606:4700:4700::1111 3ffe::1 3fff:1000::1
`;

const words = (text: string) => text.trim().split(/\s+/);

test.each(words(CLOSED))("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(words(OPEN))("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("an empty text is not public", () => {
  expect(isPublicAddress("")).toBe(false);
});
