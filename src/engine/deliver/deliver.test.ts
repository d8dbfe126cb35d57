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
import { creating, sampleNotice, sampleTask, SILENT_LOG } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createDelivery, type Delivery } from "./deliver.ts";

const TOKEN = "tk_a1b2c3d4e5f6g7h8i9j0";
const SECRET = "a-key-that-is-hard-to-guess";
const POLL = { timeout: 20_000 };

let dir: TempDir;
let store: Store;
let ntfy: LoopbackNtfy;
let webhook: LoopbackWebhook;
let notifiers: Record<string, Notifier>;
let clock: FakeClock;
const open: Delivery[] = [];

beforeEach(async () => {
  dir = await createTempDir();
  store = await openSqliteStore({ file: join(dir.path, "nightshift.db"), log: SILENT_LOG });
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
    log: SILENT_LOG,
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

const notice = (category: string, over: Partial<NewNotice> = {}): Partial<NewNotice> => ({
  channel: "ntfy",
  data: { ...sampleNotice().data, category },
  ...over,
});

describe("the outbox", () => {
  test("every channel receives its notices in order", async () => {
    await write(notice("a"), notice("b"), notice("a", { channel: "webhook" }), notice("c"));
    await deliveryOf().start();
    await expect.poll(isEmpty, POLL).toBe(true);
    expect(titles()).toEqual(["shop: published – a", "shop: published – b", "shop: published – c"]);
    expect(webhook.received.size).toBe(1);
  });

  test("a failing server is retried in order, and its retry-after is respected", async () => {
    await write(notice("a"), notice("b"));
    ntfy.fail({ status: 500 }, { status: 429, headers: { "retry-after": "60" } });
    const delivery = deliveryOf();
    await delivery.start();
    await expect.poll(() => ntfy.requests.length, POLL).toBe(1);
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 2_000, 9), POLL).toMatchObject([{ attempts: 1 }]);
    // Nothing is due, not even the second notice.
    await delivery.start();
    await clock.advance(2_000);
    await delivery.start();
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 60_000, 9), POLL).toMatchObject([{ attempts: 2 }]);
    expect(await store.outbox.dueNotices(clock.now() + 59_999, 9)).toEqual([]);
    await clock.advance(60_000);
    await delivery.start();
    await expect.poll(titles, POLL).toEqual(["shop: published – a", "shop: published – b"]);
  });

  test("a channel that hangs does not delay other channels or stop()", async () => {
    await write(notice("a"), notice("b"), notice("a", { channel: "webhook" }));
    ntfy.fail("hang");
    const delivery = deliveryOf();
    await delivery.start();
    await expect.poll(() => webhook.received.size, POLL).toBe(1);
    await expect.poll(() => ntfy.requests.length, POLL).toBe(1);
    await delivery.stop();
    // The attempt was not counted, so the next daemon sends it.
    expect(await store.outbox.dueNotices(clock.now(), 9)).toMatchObject([{ channel: "ntfy", attempts: 0 }]);
    await deliveryOf().start();
    await expect.poll(titles, POLL).toEqual(["shop: published – a", "shop: published – b"]);
  });

  test("a dead channel is given up after the maximum number of tries, with an event that contains no token", async () => {
    await write(notice("a"));
    ntfy.fail(...Array.from({ length: MAX_TRIES }, () => ({ status: 401, body: `no such token: ${TOKEN}` })));
    const delivery = deliveryOf();
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      await delivery.start();
      await expect.poll(() => ntfy.requests.length, POLL).toBe(tries);
      await expect
        .poll(async () => (await store.outbox.dueNotices(Number.MAX_SAFE_INTEGER, 1))[0]?.attempts ?? MAX_TRIES, POLL)
        .toBe(tries);
      await clock.advance(7_200_000);
    }
    await expect
      .poll(summaries, POLL)
      .toEqual([
        expect.stringMatching(/^ntfy could not be notified \(HTTP 401 from .*\[redacted\]\); gave up after 8 tries$/),
      ]);
    expect(await isEmpty()).toBe(true);
  });

  test("a notice for a channel that is no longer configured is dropped at once, with an event", async () => {
    await write(notice("a", { channel: "webhook" }));
    delete notifiers["webhook"];
    await deliveryOf().start();
    await expect
      .poll(summaries, POLL)
      .toEqual(["a notice was not sent: webhook is no longer a channel of project shop"]);
    expect(await isEmpty()).toBe(true);
  });

  test("a notifier that never returns is aborted after a minute and retried later", async () => {
    await write(notice("a"));
    const hanging: Notifier = {
      send: (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    };
    await deliveryOf({ channels: { openNotifier: async () => hanging } }).start();
    await clock.advance(59_999);
    expect(await store.outbox.dueNotices(clock.now() + 60_000, 9)).toMatchObject([{ attempts: 0 }]);
    await clock.advance(1);
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 60_000, 9), POLL).toMatchObject([{ attempts: 1 }]);
  });

  test("a notice is rescheduled if the settings cannot be read", async () => {
    await write(notice("a"));
    const delivery = deliveryOf({
      channels: { openNotifier: () => Promise.reject(new Error("line 3 is wrong")) },
    });
    await delivery.start();
    await expect.poll(() => store.outbox.dueNotices(clock.now() + 2_000, 9), POLL).toMatchObject([{ attempts: 1 }]);
  });
});

/** Starts a process that sends what is due and is killed before it can mark it as delivered. */
async function crashAfterSending(file: string): Promise<unknown> {
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

describe("a crash between sending a notice and marking it as delivered", () => {
  test("sends the notice again with the same delivery id", async () => {
    await write(notice("a", { channel: "webhook" }));
    await store.close();
    await expect(crashAfterSending(join(dir.path, "nightshift.db"))).rejects.toMatchObject({ signal: "SIGKILL" });
    expect(webhook.received.size).toBe(1);
    store = await openSqliteStore({ file: join(dir.path, "nightshift.db"), log: SILENT_LOG });
    expect(await store.outbox.dueNotices(clock.now(), 9)).toMatchObject([{ attempts: 0 }]);
    await deliveryOf().start();
    await expect.poll(isEmpty, POLL).toBe(true);
    expect(webhook.requests).toHaveLength(2);
    expect(webhook.received.size).toBe(1);
  });

  test("a full disk does not cause a notice to be sent twice", async () => {
    await write(notice("a"));
    let isFull = true;
    const markDelivered: Store["outbox"]["markDelivered"] = (id, at) =>
      isFull ? Promise.reject(new Error("disk full")) : store.outbox.markDelivered(id, at);
    const delivery = deliveryOf({ store: { ...store, outbox: { ...store.outbox, markDelivered } } });
    await delivery.start();
    await expect.poll(() => ntfy.shown.length, POLL).toBe(1);
    for (let times = 0; times < 3; times += 1) {
      await clock.advance(60_000);
      await delivery.start();
    }
    isFull = false;
    await clock.advance(60_000);
    await expect.poll(async () => (await delivery.start(), await isEmpty()), POLL).toBe(true);
    expect(ntfy.shown).toHaveLength(1);
  });
});
