import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, makeEvent, makeTask, openHarness, OWNER_TOKEN, saveTask } from "../harness.suite.ts";
import { type HttpServer, openHttpServer } from "../listen.ts";
import type { Client, createClient } from "./client.ts";

/** Globals that the client may use because all browsers have them. */
const BROWSER_GLOBALS = {
  AbortController,
  AbortSignal,
  clearTimeout,
  fetch,
  setTimeout,
  TextDecoder,
  URL,
  URLSearchParams,
};

/** Names that occur only in bundles with Node modules. */
const NODE_ONLY = /\bnode:|\bprocess\b|\bBuffer\b|\brequire\b|getBuiltinModule/;

let code: string;
let api: Harness;
let server: HttpServer;

beforeAll(async () => {
  code = await bundleForBrowser(new URL("./client.ts", import.meta.url));
  api = await openHarness();
  server = await openHttpServer(api.deps, { host: "127.0.0.1", port: 0, publicUrl: null });
});

afterAll(async () => {
  await server.close();
  await api.close();
});

/** Bundles all modules into one script that puts its exports into the variable `client`. */
async function bundleForBrowser(module: URL): Promise<string> {
  const built = await rolldown({
    input: fileURLToPath(module),
    platform: "browser",
    // An import that browsers cannot resolve must fail the test.
    onLog: (level, log, report) => report(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
  });
  const { output } = await built.generate({ format: "iife", name: "client", codeSplitting: false });
  await built.close();
  expect(output).toHaveLength(1);
  return output[0].code;
}

function loadClient(): Client {
  const context = createContext({ ...BROWSER_GLOBALS });
  runInContext(code, context);
  // The exports of client.ts.
  const module = runInContext("client", context) as { readonly createClient: typeof createClient };
  return module.createClient({ url: server.url, token: OWNER_TOKEN });
}

it("the client's browser bundle contains no Node modules", async () => {
  expect(code).not.toMatch(NODE_ONLY);
  const withNode = await bundleForBrowser(new URL("./node-client.ts", import.meta.url));
  expect(withNode).toMatch(NODE_ONLY);
});

it("the client calls a daemon using only browser globals", async () => {
  const client = loadClient();
  const task = await client.call("POST /tasks", { body: { project: "shop", description: "Paint" } });
  expect((await client.call("GET /tasks/:id", { params: { id: task.id } })).description).toBe("Paint");
  await expect(client.call("GET /tasks/:id", { params: { id: "zzzzzzzz" } })).rejects.toMatchObject({
    name: "ProblemError",
    status: 404,
  });
});

it("the client follows events across a reconnect using only browser globals", async () => {
  const { task } = await saveTask(api.store, makeTask());
  const after = await api.store.events.lastEventId();
  await api.store.events.appendEvents([makeEvent({ task: task.id, summary: "first" })]);
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { summary } of loadClient().events({ after, task: task.id, signal: stop.signal })) {
    seen.push(summary);
    if (summary === "first") {
      // The daemon restarts on the same port.
      const { port } = server;
      await server.close();
      server = await openHttpServer(api.deps, { host: "127.0.0.1", port, publicUrl: null });
      await api.store.events.appendEvents([makeEvent({ task: task.id, summary: "second" })]);
    } else stop.abort();
  }
  expect(seen).toEqual(["first", "second"]);
});
