import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNtfyNotifier } from "../../adapters/notifiers/ntfy/ntfy.ts";
import { createWebhookNotifier } from "../../adapters/notifiers/webhook/webhook.ts";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { MAX_TRIES } from "../../core/notices/notice-delivery.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { NewNotice, Store } from "../../ports/store.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { openLoopbackNtfy, type LoopbackNtfy } from "../../testing/loopback/loopback-ntfy.ts";
import { openLoopbackWebhook, type LoopbackWebhook } from "../../testing/loopback/loopback-webhook.ts";
import { creating, sampleNotice, sampleTask, SILENT } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createDelivery, type Delivery } from "./deliver.ts";

const TOKEN = "tk_a1b2c3d4e5f6g7h8i9j0";
const SECRET = "a-key-that-nobody-guesses";
const PATIENCE = { timeout: 20_000 };

let dir: TempDir;
let store: Store;
let ntfy: LoopbackNtfy;
let webhook: LoopbackWebhook;
let notifiers: Record<string, Notifier>;
let clock: FakeClock;
const open: Delivery[] = [];

beforeEach(async () => {
  dir = await createTempDir();
  store = await openSqliteStore({ file: join(dir.path, "nightshift.db"), log: SILENT });
  ntfy = await openLoopbackNtfy({ token: TOKEN });
  webhook = await openLoopbackWebhook({ secret: SECRET });
  clock = createFakeClock(10_000);
  const env = { NTFY_TOKEN: TOKEN, HOOK_SECRET: SECRET };
  notifiers = {
    ntfy: createNtfyNotifier({ settings: { url: ntfy.url, topic: "t", token_env: "NTFY_TOKEN" }, env }),
    webhook: createWebhookNotifier({ settings: { url: webhook.url, secret_env: "HOOK_SECRET" }, env }),
  };
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((delivery) => delivery.stop()));
  await Promise.all([ntfy.close(), webhook.close()]);
  await store.close();
  await dir.remove();
});

function deliveryOf(over: Partial<Parameters<typeof createDelivery>[0]> = {}): Delivery {
  const delivery = createDelivery({
    store,
    clock,
    log: SILENT,
    hooks: { passCheckpoint: () => undefined },
    secrets: { redact: (value) => value },
    channels: { openNotifier: async (_project, channel) => notifiers[channel] ?? null },
    ...over,
  });
  open.push(delivery);
  return delivery;
}

const write = async (...notices: readonly Partial<NewNotice>[]): Promise<void> => {
  await store.tasks.createTask(creating(sampleTask(), { notices: notices.map((each) => sampleNotice(each)) }));
};
const titles = () => ntfy.shown.map(({ title }) => title);
const summaries = async () =>
  (await store.events.listEvents({ after: 0, task: null, limit: 99 }))
    .filter(({ type }) => type === "notice.failed")
    .map(({ summary }) => summary);
const isEmpty = async (): Promise<boolean> => (await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 9)).length === 0;

const told = (category: string, over: Partial<NewNotice> = {}): Partial<NewNotice> => ({
  channel: "ntfy",
  data: { ...sampleNotice().data, category },
  ...over,
});

describe("the outbox", () => {
  test("every channel is told, each in its order", async () => {
    await write(told("a"), told("b"), told("a", { channel: "webhook" }), told("c"));
    await deliveryOf().start();
    await expect.poll(isEmpty, PATIENCE).toBe(true);
    expect(titles()).toEqual(["shop: published – a", "shop: published – b", "shop: published – c"]);
    expect(webhook.received.size).toBe(1);
  });

  test("a server in trouble is asked again later, in order, and waited for as long as it says", async () => {
    await write(told("a"), told("b"));
    ntfy.fail({ status: 500 }, { status: 429, headers: { "retry-after": "60" } });
    const delivery = deliveryOf();
    await delivery.start();
    await expect.poll(() => ntfy.requests.length, PATIENCE).toBe(1);
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 2_000, 9), PATIENCE).toMatchObject([{ attempts: 1 }]);
    // Nothing is due, not even the second one.
    await delivery.start();
    await clock.advance(2_000);
    await delivery.start();
    await expect
      .poll(() => store.outbox.dueNotices(clock.now() + 60_000, 9), PATIENCE)
      .toMatchObject([{ attempts: 2 }]);
    expect(await store.outbox.dueNotices(clock.now() + 59_999, 9)).toEqual([]);
    await clock.advance(60_000);
    await delivery.start();
    await expect.poll(titles, PATIENCE).toEqual(["shop: published – a", "shop: published – b"]);
  });

  test("a channel that hangs keeps nobody waiting, and stopping does not wait for it", async () => {
    await write(told("a"), told("b"), told("a", { channel: "webhook" }));
    ntfy.fail("hang");
    const delivery = deliveryOf();
    await delivery.start();
    await expect.poll(() => webhook.received.size, PATIENCE).toBe(1);
    await expect.poll(() => ntfy.requests.length, PATIENCE).toBe(1);
    await delivery.stop();
    // No try was counted: the next daemon sends it.
    expect(await store.outbox.dueNotices(clock.now(), 9)).toMatchObject([{ channel: "ntfy", attempts: 0 }]);
    await deliveryOf().start();
    await expect.poll(titles, PATIENCE).toEqual(["shop: published – a", "shop: published – b"]);
  });

  test("a dead channel is given up after so many tries, with an event that holds no token", async () => {
    await write(told("a"));
    ntfy.fail(...Array.from({ length: MAX_TRIES }, () => ({ status: 401, body: `no such token: ${TOKEN}` })));
    const delivery = deliveryOf();
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      await delivery.start();
      await expect.poll(() => ntfy.requests.length, PATIENCE).toBe(tries);
      await expect
        .poll(
          async () => (await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 1))[0]?.attempts ?? MAX_TRIES,
          PATIENCE,
        )
        .toBe(tries);
      await clock.advance(7_200_000);
    }
    await expect
      .poll(summaries, PATIENCE)
      .toEqual([
        expect.stringMatching(/^ntfy could not be told \(HTTP 401 from .*\[redacted\]\); given up after 8 tries$/),
      ]);
    expect(await isEmpty()).toBe(true);
  });

  test("a channel that is no longer set up is dropped at once, and said", async () => {
    await write(told("a", { channel: "webhook" }));
    delete notifiers["webhook"];
    await deliveryOf().start();
    await expect
      .poll(summaries, PATIENCE)
      .toEqual(["a message was not sent: webhook is no longer a channel of project shop"]);
    expect(await isEmpty()).toBe(true);
  });

  test("a notifier that never ends is called off after a minute, and tried again later", async () => {
    await write(told("a"));
    const hanging: Notifier = {
      send: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    };
    await deliveryOf({ channels: { openNotifier: async () => hanging } }).start();
    await clock.advance(59_999);
    expect(await store.outbox.dueNotices(clock.now() + 60_000, 9)).toMatchObject([{ attempts: 0 }]);
    await clock.advance(1);
    await expect
      .poll(() => store.outbox.dueNotices(clock.now() + 60_000, 9), PATIENCE)
      .toMatchObject([{ attempts: 1 }]);
  });

  test("settings that cannot be read put it off", async () => {
    await write(told("a"));
    const delivery = deliveryOf({
      channels: { openNotifier: () => Promise.reject(new Error("line 3 is wrong")) },
    });
    await delivery.start();
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 2_000, 9), PATIENCE).toMatchObject([{ attempts: 1 }]);
  });
});

/** A process of its own that sends what is due and is killed before it can write that down. */
async function dieWhileSending(file: string): Promise<unknown> {
  const source = join(import.meta.dirname, "../..");
  const program = `
    const { createDelivery } = await import("${source}/engine/deliver/deliver.ts");
    const { createFakeClock } = await import("${source}/testing/fake-clock.ts");
    const { openSqliteStore } = await import("${source}/adapters/stores/sqlite/open.ts");
    const { createWebhookNotifier } = await import("${source}/adapters/notifiers/webhook/webhook.ts");
    const log = { info() {}, warn() {}, error() {} };
    const settings = { url: "${webhook.url}", secret_env: "HOOK_SECRET" };
    await createDelivery({
      store: await openSqliteStore({ file: ${JSON.stringify(file)}, log }),
      clock: createFakeClock(${clock.now()}),
      log,
      hooks: { passCheckpoint: () => process.kill(process.pid, "SIGKILL") },
      secrets: { redact: (value) => value },
      channels: { openNotifier: async () => createWebhookNotifier({ settings, env: process.env }) },
    }).start();
    setInterval(() => undefined, 1_000);
  `;
  const env = { ...process.env, HOOK_SECRET: SECRET };
  return promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env, timeout: 25_000 });
}

describe("a crash between sending and writing it down", () => {
  test("sends again, and it is the same delivery", async () => {
    await write(told("a", { channel: "webhook" }));
    await store.close();
    await expect(dieWhileSending(join(dir.path, "nightshift.db"))).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(webhook.received.size).toBe(1);
    store = await openSqliteStore({ file: join(dir.path, "nightshift.db"), log: SILENT });
    expect(await store.outbox.dueNotices(clock.now(), 9)).toMatchObject([{ attempts: 0 }]);
    await deliveryOf().start();
    await expect.poll(isEmpty, PATIENCE).toBe(true);
    expect(webhook.requests).toHaveLength(2);
    expect(webhook.received.size).toBe(1);
  });

  test("a disk that is full sends nothing twice", async () => {
    await write(told("a"));
    let full = true;
    const markDelivered: Store["outbox"]["markDelivered"] = (id, at) =>
      full ? Promise.reject(new Error("disk full")) : store.outbox.markDelivered(id, at);
    const delivery = deliveryOf({ store: { ...store, outbox: { ...store.outbox, markDelivered } } });
    await delivery.start();
    await expect.poll(() => ntfy.shown.length, PATIENCE).toBe(1);
    for (let times = 0; times < 3; times += 1) {
      await clock.advance(60_000);
      await delivery.start();
    }
    full = false;
    await clock.advance(60_000);
    await expect.poll(async () => (await delivery.start(), await isEmpty()), PATIENCE).toBe(true);
    expect(ntfy.shown).toHaveLength(1);
  });
});
