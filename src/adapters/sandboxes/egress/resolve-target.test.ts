import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { dialAddress, dialFirst } from "./dial.ts";
import { explainForbiddenAddress } from "./resolve-target.ts";
import { lookupAll, resolveTarget, showTarget } from "./resolve-target.ts";

it("egress: resolves names like the system", async () => {
  const addresses = await lookupAll("localhost");
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(explainForbiddenAddress(address)).toMatch(/loopback/);
  await expect(lookupAll("nowhere.invalid")).rejects.toThrow("nowhere.invalid");
});

it("egress: does not resolve a host without a rule, nor an address", async () => {
  const lookups: string[] = [];
  const lookup = (name: string): Promise<string[]> => {
    lookups.push(name);
    return Promise.resolve(["8.8.8.8"]);
  };
  const rules = [
    { host: "a.example", isSuffix: false, port: 443 },
    { host: "9.9.9.9", isSuffix: false, port: 443 },
  ];
  expect(await resolveTarget("secret.evil.example:443", { rules, privateHosts: [] }, lookup)).toMatchObject({
    kind: "denied",
  });
  expect(await resolveTarget("9.9.9.9:443", { rules, privateHosts: [] }, lookup)).toMatchObject({
    kind: "open",
    addresses: ["9.9.9.9"],
  });
  expect(lookups).toEqual([]);
  expect(await resolveTarget("A.example.:443", { rules, privateHosts: [] }, lookup)).toMatchObject({
    kind: "open",
    addresses: ["8.8.8.8"],
  });
  expect(lookups).toEqual(["a.example"]);
});

it("egress: recognizes this machine's public addresses", () => {
  expect(explainForbiddenAddress("8.8.8.8", { own: () => ["8.8.8.8"] })).toBe("an address of this machine");
  expect(explainForbiddenAddress("2600:0::1", { own: () => ["2600::1"] })).toBe("an address of this machine");
  expect(explainForbiddenAddress("8.8.8.8", { own: () => ["9.9.9.9"] })).toBeNull();
});

it("egress: shows a requested target as one short plain line", () => {
  expect(showTarget("a\r\nb\u001b[31m\u202e é")).toBe("a??b?[31m???");
  expect(showTarget("x".repeat(10_000)).length).toBeLessThan(130);
});

it("egress: dials addresses, and gives up when the client has disconnected", async () => {
  const server = createServer((client) => client.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const params = { addresses: ["127.0.0.1"], port, dial: dialAddress, timeoutMs: 5_000 };
  const socket = await dialFirst({ ...params, signal: new AbortController().signal });
  expect(typeof socket === "string" ? socket : socket.remoteAddress).toBe("127.0.0.1");
  if (typeof socket !== "string") socket.destroy();
  expect(await dialFirst({ ...params, signal: AbortSignal.abort() })).toBe("no address");
  server.close();
});

const NPM = { host: "npm.corp.example", isSuffix: false, port: 443 };
const RULES = [NPM, { ...NPM, port: 22 }, { ...NPM, host: "db.corp.example" }];
const resolvePrivate = (target: string, rules = RULES) =>
  resolveTarget(target, { rules, privateHosts: [NPM] }, () => Promise.resolve(["10.1.2.3", "fd00::5"]));
const DENIED_ANYWAY = ["127.0.0.1", "::1", "169.254.169.254", "fe80::1", "168.63.129.16", "0.0.0.0"];

it("egress: a private host is allowed by exactly its name and port, and only if sandbox.network lists it", async () => {
  expect(await resolvePrivate("npm.corp.example:443")).toMatchObject({
    kind: "open",
    addresses: ["10.1.2.3", "fd00::5"],
  });
  for (const other of ["npm.corp.example:22", "db.corp.example:443"]) {
    expect(await resolvePrivate(other)).toMatchObject({
      sentence: expect.stringContaining("add it to sandbox.private_hosts in your config.yaml"),
    });
  }
  expect(await resolvePrivate("npm.corp.example:443", [])).toMatchObject({
    sentence: expect.stringContaining("add it to sandbox.network"),
  });
});

it.each(DENIED_ANYWAY)("egress: a private host that leads to %s is denied", async (address) => {
  const lookup = () => Promise.resolve(["10.1.2.3", address]);
  const resolved = await resolveTarget("npm.corp.example:443", { rules: [NPM], privateHosts: [NPM] }, lookup);
  expect(resolved).toMatchObject({ kind: "denied", sentence: expect.stringContaining("cannot allow") });
});

it("egress: an address of this machine is denied without the advice to allow it", async () => {
  const address = "10.1.2.3";
  const denied = await resolveTarget(
    "npm.corp.example:443",
    { rules: RULES, privateHosts: [] },
    async () => [address],
    () => [address],
  );
  expect(denied).toMatchObject({ sentence: expect.stringContaining("cannot allow") });
  expect(denied).not.toMatchObject({ sentence: expect.stringContaining("sandbox.private_hosts") });
});

it("egress: a private address of this machine is forbidden even if private addresses are allowed", () => {
  const params = { allowsPrivate: true, own: () => ["10.1.2.3"] };
  expect(explainForbiddenAddress("10.1.2.3", params)).toBe("an address of this machine");
});
