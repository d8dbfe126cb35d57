import { describe, expect, it } from "vitest";
import {
  formatTarget,
  isAllowed,
  parseNetworkRule,
  parseNetworkRules,
  parsePrivateHost,
  parseTarget,
} from "./network-rule.ts";

const suffix = { isSuffix: true, port: 443 };
const exact = { isSuffix: false, port: 443 };

describe("parseNetworkRule", () => {
  it.each([
    ["example.com", { host: "example.com", ...exact }],
    ["Example.COM.", { host: "example.com", ...exact }],
    ["example.com:8443", { host: "example.com", isSuffix: false, port: 8443 }],
    ["*.example.com", { host: "example.com", ...suffix }],
    ["*.example.com:80", { host: "example.com", isSuffix: true, port: 80 }],
    ["bücher.example", { host: "xn--bcher-kva.example", ...exact }],
    ["BÜCHER.example", { host: "xn--bcher-kva.example", ...exact }],
    ["registry", { host: "registry", ...exact }],
    ["my_host.example.com", { host: "my_host.example.com", ...exact }],
    ["8.8.8.8:53", { host: "8.8.8.8", isSuffix: false, port: 53 }],
    ["[2600::1]", { host: "2600::1", ...exact }],
    ["[2600:0:0::1]:8080", { host: "2600::1", isSuffix: false, port: 8080 }],
  ])("parses %s", (text, rule) => {
    expect(parseNetworkRule(text)).toEqual(rule);
  });

  it.each([
    ["", /a host/],
    [" ", /a host/],
    ["example.com ", /a host/],
    ["https://example.com", /no scheme/],
    ["example.com/path", /a host/],
    ["user@example.com", /a host/],
    ["example.com?x", /a host/],
    ["exa\u0000mple.com", /a host/],
    ["example%2ecom", /a host/],
    ["a..b", /a host/],
    [".example.com", /a host/],
    ["example.com..", /a host/],
    [`${"a".repeat(64)}.com`, /a host/],
    [`${"a.".repeat(130)}com`, /a host/],
    ["10.0.0.0/8", /a host/],
    ["2600::1", /a host/],
    ["[8.8.8.8]", /a host/],
    ["[fe80::1%25eth0]", /a host/],
    ["2130706433", /a host/],
    ["0x7f.1", /a host/],
    ["017700000001", /a host/],
    ["127。0。0。1", /a host/],
    ["１２７.0.0.1", /a host/],
    ["*", /nowhere else/],
    ["*.*.com", /nowhere else/],
    ["a.*.com", /nowhere else/],
    ["*example.com", /nowhere else/],
    ["example.com:*", /nowhere else/],
    ["*.com", /two parts/],
    ["*.8.8.8.8", /not before an address/],
    ["*.0.0.1", /a host/],
    ["*.[2600::1]", /not before an address/],
    ["example.com:0", /a port/],
    ["example.com:65536", /a port/],
    ["example.com:", /a port/],
    ["example.com:0443", /a port/],
    ["example.com:https", /a port/],
    ["example.com: 443", /a port/],
    ["localhost", /public internet.*loopback/],
    ["LocalHost.:8080", /public internet.*loopback/],
    ["a.localhost", /public internet.*loopback/],
    ["127.0.0.1:3000", /public internet.*loopback/],
    ["169.254.169.254:80", /public internet.*link-local/],
    ["[::1]", /public internet.*loopback/],
    ["[::ffff:8.8.8.8]", /public internet.*embeds/],
  ])("explains what is allowed instead of %j", (text, allowed) => {
    expect(parseNetworkRule(text)).toMatch(allowed);
  });
});

describe("parseNetworkRules", () => {
  it("returns one message per invalid rule", () => {
    const { rules, problems } = parseNetworkRules(["example.com", "a b", "x.example:0", `\u001b${"y".repeat(500)}`]);
    expect(rules).toHaveLength(1);
    expect(problems).toHaveLength(3);
    expect(problems[1]).toBe("sandbox.network: found `x.example:0`; allowed: a port from 1 to 65535 after the `:`.");
    expect(problems[2]).not.toContain("\u001b");
    expect(problems[2]?.length).toBeLessThan(350);
  });
});

describe("isAllowed", () => {
  const { rules } = parseNetworkRules(["example.com", "*.cdn.example", "git.example:22", "[2600::1]:8443", "8.8.8.8"]);

  it.each([
    ["example.com", 443],
    ["EXAMPLE.com.", 443],
    ["a.cdn.example", 443],
    ["a.b.cdn.example", 443],
    ["git.example", 22],
    ["2600:0::1", 8443],
    ["8.8.8.8", 443],
  ])("allows %s on port %i", (host, port) => {
    expect(isAllowed(rules, host, port)).toBe(true);
  });

  it.each([
    ["example.com", 80],
    ["www.example.com", 443],
    ["example.com.evil.example", 443],
    ["notexample.com", 443],
    ["cdn.example", 443],
    ["evilcdn.example", 443],
    ["git.example", 443],
    ["2600::2", 8443],
    ["2600::1", 443],
    ["8.8.8.9", 443],
    ["134744072", 443],
    ["", 443],
    ["example.com\u0000", 443],
  ])("refuses %j on port %i", (host, port) => {
    expect(isAllowed(rules, host, port)).toBe(false);
  });
});

describe("parseTarget", () => {
  it.each([
    ["example.com:443", "example.com:443"],
    ["EXAMPLE.com.:443", "example.com:443"],
    ["[2600:0::1]:443", "[2600::1]:443"],
  ])("parses %s", (asked, shown) => {
    const target = parseTarget(asked);
    expect(target === null ? null : formatTarget(target)).toBe(shown);
  });

  it.each(["example.com", ":443", "2600::1:443", "a@b:443", "a:b:443", "http://a:443", "a:443/", "a:443 ", "a:4 43"])(
    "rejects %j",
    (asked) => {
      expect(parseTarget(asked)).toBeNull();
    },
  );
});

describe("parsePrivateHost", () => {
  it.each(["npm.corp.example:443", "10.0.0.5:8443", "[fd00::5]:443"])("accepts %s", (text) => {
    expect(parsePrivateHost(text)).toMatchObject({ isSuffix: false });
  });

  it.each(["npm.corp.example", "*.corp.example:443", "10.0.0.5", "[fd00::5]", "10.0.0.0/8:443"])(
    "refuses %s",
    (text) => {
      expect(parsePrivateHost(text)).toEqual(expect.any(String));
    },
  );

  it.each(["127.0.0.1:443", "localhost:443", "169.254.169.254:80", "[::1]:443"])("never allows %s", (text) => {
    expect(parsePrivateHost(text)).toMatch(/no loopback, link-local or cloud metadata address/);
  });
});
