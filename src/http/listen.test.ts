import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "./client/client.ts";
import { createNodeClient } from "./client/node-client.ts";
import { checkOrigin } from "./guard.ts";
import { type Harness, openHarness, OWNER_TOKEN } from "./harness.suite.ts";
import { openHttpServer, refuseListening } from "./listen.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

const LOOPBACK = { host: "127.0.0.1", port: 0, publicUrl: null };

describe("HTTP server: listening", () => {
  it.each(["127.0.0.1", "127.9.9.9", "::1", "localhost"])("is allowed on %s", (host) => {
    expect(refuseListening({ host, publicUrl: null })).toBeNull();
  });

  it.each(["0.0.0.0", "::", "192.168.1.2", "127.0.0.1.example.com", "night.example.com"])(
    "is refused on %s",
    (host) => {
      expect(refuseListening({ host, publicUrl: null })).toContain(host);
      expect(refuseListening({ host, publicUrl: "http://night.example.com" })).toContain("TLS");
    },
  );

  it("is allowed beyond loopback behind a configured TLS proxy, under its name", () => {
    const publicUrl = "https://night.example.com";
    expect(refuseListening({ host: "0.0.0.0", publicUrl })).toBeNull();
    const request = (host: string) => new Request("http://x/", { headers: { host, origin: publicUrl } });
    const address = { host: "0.0.0.0", port: 4816, publicUrl };
    expect(() => checkOrigin(request("night.example.com"), address)).not.toThrow();
    expect(() => checkOrigin(request("other.example.com"), address)).toThrow("other.example.com");
  });

  it("does not open the port if the address is refused", async () => {
    await expect(openHttpServer(api.deps, { ...LOOPBACK, host: "0.0.0.0" })).rejects.toMatchObject({
      kind: "forbidden",
    });
  });

  it("reports a port that is in use", async () => {
    const first = await openHttpServer(api.deps, LOOPBACK);
    await expect(openHttpServer(api.deps, { ...LOOPBACK, port: first.port })).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(String(first.port)),
    });
    await first.close();
  });

  it("formats an IPv6 address", () => {
    const request = new Request("http://x/", { headers: { host: "[::1]:4816" } });
    expect(() => checkOrigin(request, { host: "::1", port: 4816, publicUrl: null })).not.toThrow();
  });
});

describe.each([
  { name: "HTTP client with fetch", create: createClient },
  { name: "HTTP client with node:http", create: createNodeClient },
])("$name", ({ create }) => {
  it("turns an error response into an error with its message", async () => {
    const server = await openHttpServer(api.deps, LOOPBACK);
    const client = create({ url: server.url, token: OWNER_TOKEN });
    const task = await client.call("POST /tasks", {
      body: { project: "shop", description: "Paint" },
      idempotencyKey: "once",
    });
    expect((await client.call("GET /tasks", { query: { status: "queued", limit: 5 } })).tasks).toMatchObject([
      { id: task.id },
    ]);
    expect(await client.call("DELETE /tasks/:id", { params: { id: task.id } })).toBeNull();
    expect((await client.call("GET /healthz")).status).toBe("ok");
    await expect(client.call("GET /tasks/:id", { params: { id: "zzzzzzzz" } })).rejects.toMatchObject({
      name: "ProblemError",
      status: 404,
      title: "Not found",
      detail: 'There is no task "zzzzzzzz".',
    });
    await server.close();
    await expect(client.call("GET /status")).rejects.toMatchObject({ name: "UnreachableError" });
  });

  it("refuses a body over the limit on a real connection", async () => {
    const server = await openHttpServer(api.deps, LOOPBACK);
    const client = create({ url: server.url, token: OWNER_TOKEN });
    const body = { project: "shop", description: "x".repeat(3_000_000) };
    await expect(client.call("POST /tasks", { body })).rejects.toMatchObject({ status: 413 });
    expect((await client.call("GET /healthz")).status).toBe("ok");
    await server.close();
  });
});

describe("HTTP client", () => {
  it("loads neither zod nor the contract nor the server", async () => {
    const script = `
      import { registerHooks } from "node:module";
      const seen = [];
      registerHooks({ resolve(name, context, next) { const found = next(name, context); seen.push(found.url); return found; } });
      await import(${JSON.stringify(new URL("client/node-client.ts", import.meta.url).href)});
      console.log(JSON.stringify(seen));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    const files = (JSON.parse(stdout) as string[]).filter((url) => url.startsWith("file:")); // what the script prints
    expect(new Set(files.map((url) => url.split("/").at(-1)))).toEqual(
      new Set([
        "cli-agent.ts",
        "client-errors.ts",
        "client-send.ts",
        "client-stream.ts",
        "client.ts",
        "node-client.ts",
      ]),
    );
  });
});
