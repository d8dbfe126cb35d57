import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { readUserConfig } from "../../config/files/user-config.ts";
import type { Store } from "../../ports/store.ts";
import { openLoopbackConfluence } from "../../testing/loopback/loopback-confluence.ts";
import { openLoopbackNtfy, type LoopbackNtfy } from "../../testing/loopback/loopback-ntfy.ts";
import { openLoopback } from "../../testing/loopback/loopback-server.ts";
import { creating, sampleNotice, sampleTask, SILENT_LOG } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { checkChannels } from "./doctor-channels.ts";
import { REGISTRY } from "../wire/registry.ts";

const ENV = { NTFY_TOKEN: "tk_a1b2c3d4e5f6g7h8", WIKI_TOKEN: "pat-0123456789" };
const SHOP = { name: "shop", path: null, remote: "r", accepted: "{}" };
let dir: TempDir;
let home: string;
let ntfy: LoopbackNtfy;

beforeEach(async () => {
  dir = await createTempDir();
  home = join(dir.path, "home");
  await mkdir(home);
  ntfy = await openLoopbackNtfy({ token: ENV.NTFY_TOKEN });
});
afterEach(async () => {
  await ntfy.close();
  await dir.remove();
});

const configure = (notify: unknown): Promise<void> => writeFile(join(home, "config.yaml"), JSON.stringify({ notify }));
const ofNtfy = (over = {}) => ({ ntfy: { url: ntfy.url, topic: "t", token_env: "NTFY_TOKEN", ...over } });

async function check(env: Readonly<Record<string, string>> = ENV, timeoutMs = 10_000) {
  const config = await readUserConfig(home, REGISTRY.format);
  return checkChannels({ env, home, config, projects: [SHOP], registry: REGISTRY, timeoutMs });
}

async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqliteStore({ file: join(home, "nightshift.db"), log: SILENT_LOG });
  await use(store);
  await store.close();
}

test("doctor reports nothing if there are no channels", async () => {
  await configure({});
  expect(await check()).toEqual([]);
});

test("doctor reports working channels without sending a message", async () => {
  const wiki = await openLoopbackConfluence({ pageId: "42", body: "", authorization: `Bearer ${ENV.WIKI_TOKEN}` });
  const hook = await openLoopback(() => ({ status: 405 }));
  await configure({
    ...ofNtfy(),
    webhook: { url: `${hook.url}/secret-path` },
    confluence: { url: wiki.url, page_id: "42", token_env: "WIKI_TOKEN" },
    heartbeat: { url: `${hook.url}/beat` },
  });
  const found = await check();
  expect(found.map(({ name, ok }) => [name, ok])).toEqual([
    ["ntfy (shop)", "yes"],
    ["webhook (shop)", "yes"],
    ["confluence (shop)", "yes"],
    ["heartbeat (shop)", "yes"],
  ]);
  expect(JSON.stringify(found)).not.toContain("secret-path");
  // A request to the heartbeat URL would count as a heartbeat.
  expect(hook.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["HEAD /secret-path"]);
  expect(ntfy.shown).toEqual([]);
  expect(wiki.page().version).toBe(7);
  await wiki.close();
  await hook.close();
});

describe("doctor warns about channels", () => {
  test("whose variable is not set", async () => {
    await configure(ofNtfy());
    expect(await check({})).toMatchObject([{ ok: "warn", detail: expect.stringContaining("NTFY_TOKEN is not set") }]);
  });

  test("with an invalid ntfy topic or URL", async () => {
    await configure(ofNtfy({ topic: "https://ntfy.sh/x" }));
    expect(await check()).toMatchObject([{ ok: "warn", detail: expect.stringContaining("notify.ntfy.topic") }]);
    await configure(ofNtfy({ url: `${ntfy.url}/t` }));
    expect(await check()).toMatchObject([{ ok: "warn", detail: expect.stringContaining("has the path") }]);
  });

  test("whose server hangs, is unhealthy, is not ntfy, or is down", async () => {
    await configure(ofNtfy());
    ntfy.fail("hang");
    expect(await check(ENV, 500)).toMatchObject([{ ok: "warn", detail: expect.stringContaining("did not answer") }]);
    ntfy.fail({ status: 200, body: '{"healthy":false}' }, { status: 200, body: "<html>" }, { status: 503 });
    for (const problem of ["not a ntfy server", "not a ntfy server", "HTTP 503"])
      expect(await check()).toMatchObject([{ ok: "warn", detail: expect.stringContaining(problem) }]);
    await ntfy.close();
    expect(await check()).toMatchObject([{ ok: "warn", detail: expect.stringContaining("ECONNREFUSED") }]);
  });

  test("with failed deliveries since the last successful one", async () => {
    await configure(ofNtfy());
    const at = Date.UTC(2026, 2, 2, 2, 14);
    const fail = async (store: Store, times: number): Promise<void> => {
      await store.tasks.createTask(creating(sampleTask(), { notices: [sampleNotice({ channel: "ntfy", at })] }));
      const [notice] = await store.outbox.dueNotices(at, 1);
      for (let tries = times; tries > 0; tries -= 1)
        await store.outbox.markUndelivered(notice?.id ?? 0, "HTTP 401 from ntfy.example.com", tries > 1 ? at : null);
    };
    await withStore((store) => fail(store, 8));
    expect(await check()).toMatchObject([
      {
        ok: "warn",
        detail: "delivery to ntfy failed 8 times since 2026-03-02 02:14 UTC (shop): HTTP 401 from ntfy.example.com",
      },
    ]);
    await withStore(async (store) => {
      await store.tasks.createTask(creating(sampleTask(), { notices: [sampleNotice({ channel: "ntfy", at })] }));
      const [notice] = await store.outbox.dueNotices(at, 1);
      await store.outbox.markDelivered(notice?.id ?? 0, at);
    });
    expect(await check()).toMatchObject([{ ok: "yes" }]);
  });
});
