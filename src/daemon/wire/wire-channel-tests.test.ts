import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HttpDeps } from "../../http/deps.ts";
import { ALL_PROJECTS } from "../../core/notices/notice.ts";
import { openLoopbackNtfy, type LoopbackNtfy } from "../../testing/loopback/loopback-ntfy.ts";
import { openLoopbackWebhook, type LoopbackWebhook } from "../../testing/loopback/loopback-webhook.ts";
import { sampleNotice } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createChannelTests } from "./wire-channel-tests.ts";
import { createKnownSecrets } from "../known-secrets.ts";
import { wire, type Wired } from "./wire.ts";

const SECRET = "webhook-key-0123456789";

let dir: TempDir;
let ntfy: LoopbackNtfy;
let webhook: LoopbackWebhook;
let wired: Wired;
let channels: HttpDeps["channels"];

beforeEach(async () => {
  dir = await createTempDir();
  ntfy = await openLoopbackNtfy({ token: "right-token" });
  webhook = await openLoopbackWebhook({ secret: SECRET });
});
afterEach(async () => {
  await wired.ports.store.close();
  await ntfy.close();
  await webhook.close();
  await dir.remove();
});

async function open(env: Readonly<Record<string, string>>): Promise<void> {
  const home = join(dir.path, "home");
  await mkdir(home, { mode: 0o700 });
  const lines = [
    "sandbox: { mode: none }",
    "notify:",
    `  ntfy: { url: "${ntfy.url}", topic: nights, token_env: NTFY_TOKEN, on: [failed, report] }`,
    `  webhook: { url: "${webhook.url}/hook/very-secret-path", secret_env: HOOK_SECRET }`,
  ];
  await writeFile(join(home, "config.yaml"), `${lines.join("\n")}\n`);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  wired = await wire({
    home,
    env,
    log: silent,
    secrets: createKnownSecrets(env),
    pass: () => undefined,
    write: () => undefined,
  });
  channels = createChannelTests({ notifiers: wired.registry.notifiers, channels: wired.channels, ports: wired.ports });
}

test("a test message arrives at the real service and names the person", async () => {
  await open({ NTFY_TOKEN: "right-token", HOOK_SECRET: SECRET });
  const by = { project: null, by: "alice" };
  expect(await channels.test("ntfy", by)).toEqual({
    ok: true,
    detail: `${new URL(ntfy.url).host} accepted the message.`,
  });
  expect(ntfy.shown).toMatchObject([
    {
      topic: "nights",
      title: "test message – Nightshift reaches this channel",
      message: "Sent by alice to test this channel.",
    },
  ]);
  expect(await channels.test("webhook", by)).toMatchObject({ ok: true });
  expect([...webhook.received.values()]).toMatchObject([
    { about: "test", task: null, text: expect.stringContaining("alice") },
  ]);
});

test("a refused test message says what the service answered, without secrets", async () => {
  await open({ NTFY_TOKEN: "wrong-token-123", HOOK_SECRET: "another-key-0123456789" });
  const refused = await channels.test("ntfy", { project: null, by: "alice" });
  expect(refused).toEqual({
    ok: false,
    detail: expect.stringMatching(/^HTTP 401 from 127\.0\.0\.1:\d+: .*unauthorized/),
  });
  const webhookTest = await channels.test("webhook", { project: null, by: "alice" });
  expect(webhookTest).toEqual({ ok: false, detail: expect.stringContaining("bad signature") });
  expect(JSON.stringify([refused, webhookTest])).not.toMatch(/wrong-token|very-secret-path|another-key/);
});

test("a missing secret is reported instead of sending without it", async () => {
  await open({ HOOK_SECRET: SECRET });
  expect(await channels.test("ntfy", { project: null, by: "alice" })).toEqual({
    ok: false,
    detail: expect.stringContaining("NTFY_TOKEN is not set"),
  });
  expect(ntfy.requests).toEqual([]);
});

test("channels are listed with what they are notified about and why the last message did not arrive", async () => {
  await open({ NTFY_TOKEN: "right-token", HOOK_SECRET: SECRET });
  const { store } = wired.ports;
  const lost = { ...sampleNotice(), project: ALL_PROJECTS, channel: "ntfy", task: null };
  await store.events.appendWithNotices({ events: [], notices: [lost] });
  const [notice] = await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 10);
  await store.outbox.markUndelivered(notice?.id ?? 0, "HTTP 503 from ntfy", null);
  const all = ["finished", "failed", "waiting", "report"];
  const webhookInfo = { name: "webhook", kind: "webhook", project: null, on: all, problem: null };
  const ntfyInfo = {
    name: "ntfy",
    kind: "ntfy",
    project: null,
    on: ["failed", "report"],
    problem: "HTTP 503 from ntfy",
  };
  expect(await channels.list()).toEqual([ntfyInfo, webhookInfo]);
  await store.outbox.markDelivered(notice?.id ?? 0, 5);
  expect(await channels.list()).toEqual([{ ...ntfyInfo, problem: null }, webhookInfo]);
});

test("an unknown channel is refused with the ones that exist", async () => {
  await open({});
  const refused = channels.test("slack", { project: null, by: "alice" });
  await expect(refused).rejects.toMatchObject({ kind: "not_found", hint: "Channels: ntfy, webhook." });
  await expect(channels.test("ntfy", { project: "shop", by: "alice" })).rejects.toMatchObject({ kind: "not_found" });
});
