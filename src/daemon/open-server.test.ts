import { createServer, type Server } from "node:net";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Harness, openHarness } from "../http/harness.suite.ts";
import type { HttpServer } from "../http/listen.ts";
import { openServer } from "./open-server.ts";
import { createTempDir, type TempDir } from "../testing/temp-repo.ts";

const LOOPBACK = { host: "127.0.0.1", port: null, publicUrl: null };

let api: Harness;
let dir: TempDir;
let opened: HttpServer[];
let other: Server | null;

beforeEach(async () => {
  [api, dir, opened, other] = [await openHarness(), await createTempDir(), [], null];
});

afterEach(async () => {
  await Promise.all(opened.map((server) => server.close()));
  other?.close();
  await api.close();
  await dir.remove();
});

async function open(config: Partial<Parameters<typeof openServer>[1]["config"]> = {}, port: number | null = null) {
  const portFile = join(dir.path, "port");
  const found = await openServer(api.deps, { config: { ...LOOPBACK, ...config }, port, portFile });
  opened.push(found.server);
  return found;
}

/** Another program that listens on a free port. */
async function occupyPort(): Promise<number> {
  other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

it("the daemon keeps its port across restarts", async () => {
  const first = await open();
  await first.server.close();
  const second = await open();
  expect(second.server.port).toBe(first.server.port);
  expect(second.problem).toBeNull();
});

it("if another program has the last port, the daemon uses another one from then on and says so", async () => {
  const taken = await occupyPort();
  await writeFile(join(dir.path, "port"), `${taken}\n`);
  const first = await open();
  expect(first.server.port).not.toBe(taken);
  expect(first.problem).toContain(`Port ${taken} is in use by another program, so the daemon listens on port`);
  await first.server.close();
  expect(await open()).toMatchObject({ problem: null, server: { port: first.server.port } });
});

it("if another program has the configured port, the problem says how to change it", async () => {
  const { server, problem } = await open({ port: await occupyPort() });
  expect(problem).toContain("Set `server.port` in config.yaml to another port");
  expect((await fetch(`${server.url}/api/v1/healthz`)).status).toBe(200);
});

it("the port of the command line must be free", async () => {
  await expect(open({}, await occupyPort())).rejects.toThrow("is in use by another program");
});

it("a configured port has priority over the last one, and a damaged file counts as none", async () => {
  const free = await occupyPort();
  other?.close();
  await writeFile(join(dir.path, "port"), "70000; rm -rf ~");
  expect((await open({ port: free })).server.port).toBe(free);
  expect(await readFile(join(dir.path, "port"), "utf8")).toBe(`${free}\n`);
});

it("a daemon that listens on all addresses is reached on loopback by programs of this machine", async () => {
  const { server } = await open({ host: "0.0.0.0", publicUrl: "https://night.example.com" });
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  expect((await fetch(`${server.url}/api/v1/healthz`)).status).toBe(200);
});
