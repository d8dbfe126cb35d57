import { describe, expect, it } from "vitest";
import { normaliseAddress, refuseAddress } from "./network-address.ts";

describe("refuseAddress", () => {
  it.each([
    ["0.0.0.0", /unspecified/],
    ["0.1.2.3", /unspecified/],
    ["10.0.0.1", /private/],
    ["10.255.255.255", /private/],
    ["100.64.0.1", /internal network/],
    ["100.100.100.200", /internal network/],
    ["100.127.255.255", /internal network/],
    ["127.0.0.1", /loopback/],
    ["127.255.0.1", /loopback/],
    ["168.63.129.16", /cloud/],
    ["169.254.169.254", /link-local/],
    ["172.16.0.1", /private/],
    ["172.31.255.255", /private/],
    ["192.0.0.192", /reserved/],
    ["192.0.2.1", /reserved/],
    ["192.88.99.1", /reserved/],
    ["192.168.1.1", /private/],
    ["198.19.0.1", /reserved/],
    ["203.0.113.9", /reserved/],
    ["224.0.0.1", /multicast/],
    ["240.0.0.1", /reserved/],
    ["255.255.255.255", /reserved/],
    ["::", /unspecified/],
    ["::1", /loopback/],
    ["::7f00:1", /embeds/],
    ["::127.0.0.1", /embeds/],
    ["::ffff:127.0.0.1", /embeds/],
    ["::ffff:808:808", /embeds/],
    ["64:ff9b::a00:1", /embeds/],
    ["64:ff9b:1::1", /embeds/],
    ["2002:7f00:1::", /embeds/],
    ["2001::1", /reserved/],
    ["2001:db8::1", /reserved/],
    ["3fff::1", /reserved/],
    ["fc00::1", /private/],
    ["fd00:ec2::254", /private/],
    ["fe80::1", /link-local/],
    ["fec0::1", /reserved/],
    ["ff02::1", /multicast/],
    ["100::1", /reserved/],
    ["5f00::1", /reserved/],
    ["fe80::1%eth0", /not a valid address/],
    ["", /not a valid address/],
    ["example.com", /not a valid address/],
    ["0x7f.1", /not a valid address/],
    ["127.1", /not a valid address/],
    ["0177.0.0.1", /not a valid address/],
    ["8.8.8.256", /not a valid address/],
  ])("refuses %s", (address, why) => {
    expect(refuseAddress(address)).toMatch(why);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "223.255.255.255",
    "2001:200::1",
    "2600::1",
    "2a00:1450:4001:81b::200e",
    "2003::1",
    "3ffe::1",
  ])("allows the public address %s", (address) => {
    expect(refuseAddress(address)).toBeNull();
  });
});

describe("normaliseAddress", () => {
  it.each([
    ["2600:0:0:0:0:0:0:1", "2600::1"],
    ["2600::ABCD", "2600::abcd"],
    ["::ffff:1.2.3.4", "::ffff:102:304"],
    ["1.2.3.4", "1.2.3.4"],
  ])("normalizes %s", (written, address) => {
    expect(normaliseAddress(written)).toBe(address);
  });

  it.each(["[::1]", "1.2.3", "01.2.3.4", "1.2.3.4.", "1:2", ":::", "::1/64", "a.b.c.d", "::1 "])(
    "rejects %j as an address",
    (text) => {
      expect(normaliseAddress(text)).toBeNull();
    },
  );
});
