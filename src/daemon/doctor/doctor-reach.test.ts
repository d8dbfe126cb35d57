import { expect, test } from "vitest";
import { findUnreachable } from "./doctor-forge.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "gitlab.example.com": ["93.184.216.34"],
  "git.corp.example.com": ["10.1.2.3"],
};
const lookup = async (name: string): Promise<readonly string[]> => {
  const found = NAMES[name];
  if (found === undefined) throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
  return found;
};

test("findUnreachable: public hosts are reachable from the sandbox", async () => {
  expect(await findUnreachable(["gitlab.example.com", "gitlab.example.com:8443"], [], lookup)).toEqual([]);
});

test.each([
  ["127.0.0.1:3000", /found 127\.0\.0\.1:3000; allowed: public internet hosts/],
  ["192.168.1.1", /192\.168\.1\.1:443; it is a private address; to allow it, add it to sandbox.private_hosts/],
  ["git.corp.example.com", /git\.corp\.example\.com:443; it leads to 10\.1\.2\.3/],
])("findUnreachable: explains why %s is not reachable", async (host, expected) => {
  expect(await findUnreachable(["gitlab.example.com", host], [], lookup)).toEqual([expect.stringMatching(expected)]);
});

test("findUnreachable: a forge with a private address is reachable if sandbox.private_hosts lists it", async () => {
  const privateHosts = ["git.corp.example.com:443", "192.168.1.1:443"];
  expect(await findUnreachable(["git.corp.example.com", "192.168.1.1"], privateHosts, lookup)).toEqual([]);
});

test("findUnreachable: ignores a name that does not resolve", async () => {
  expect(await findUnreachable(["gone.example.com"], [], lookup)).toEqual([]);
});
