import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import type { Notice } from "../../../ports/store.ts";
import { openLoopbackNtfy, type LoopbackNtfy } from "../../../testing/loopback/loopback-ntfy.ts";
import { openLoopback } from "../../../testing/loopback/loopback-server.ts";
import { sampleNotice } from "../../../testing/store/samples.ts";
import { createNtfyNotifier } from "./ntfy.ts";

const TOKEN = "tk_a1b2c3d4e5f6g7h8i9j0";
let ntfy: LoopbackNtfy;

beforeEach(async () => {
  ntfy = await openLoopbackNtfy({ token: TOKEN });
});
afterEach(async () => {
  await ntfy.close();
});

const notice = (over: Partial<Notice> = {}): Notice => ({ ...sampleNotice(), id: 1, attempts: 0, ...over });
const WAITING = { ...notice().data, status: "waiting", category: null, url: null, waitingFor: "approval" } as const;

interface SendOptions {
  readonly url?: string;
  readonly topic?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

async function send(options: SendOptions = {}, sent = notice()): Promise<void> {
  const { url = ntfy.url, topic = "my-night", env = { NTFY_TOKEN: TOKEN }, timeoutMs = 10_000 } = options;
  const settings = { url, topic, token_env: "NTFY_TOKEN" };
  await createNtfyNotifier({ settings, env, timeoutMs }).send(sent, new AbortController().signal);
}

async function failure(promise: Promise<void>): Promise<DeliveryError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DeliveryError)) throw new Error(`expected a DeliveryError, got ${String(error)}`);
  expect(`${error.message}${error.stack}`).not.toContain(TOKEN);
  return error;
}

describe("ntfy messages", () => {
  test("shows a published run with a button", async () => {
    await send();
    const url = "https://git.example.com/shop/-/merge_requests/7";
    expect(ntfy.shown).toEqual([
      {
        topic: "my-night",
        title: "shop: published – docs (fallback from tests)",
        message: "The README says how to start it.\n$0.42 · 12 min",
        tags: ["white_check_mark"],
        priority: 3,
        click: url,
        actions: [{ action: "view", label: "Open change request", url }],
      },
    ]);
    expect(ntfy.requests).toMatchObject([{ method: "POST", path: "/", headers: { authorization: `Bearer ${TOKEN}` } }]);
  });

  test("shows missed, skipped and cancelled runs with normal priority", async () => {
    const { data } = notice();
    const reason = "the night of 2026-11-16 02:00 UTC was missed; it runs now";
    await send({}, notice({ kind: "failed", data: { ...data, url: null, about: "missed", reason } }));
    await send({}, notice({ kind: "failed", data: { ...data, url: null, about: "skipped", reason: "still running" } }));
    const cancelled = { ...data, status: "cancelled", url: null, reason: "cancelled by ada", costUsd: 0 } as const;
    await send({}, notice({ kind: "finished", data: cancelled }));
    await send({}, notice({ kind: "failed", data: cancelled }));
    expect(ntfy.shown).toMatchObject([
      { priority: 3, tags: ["alarm_clock"], message: reason },
      { priority: 3, tags: ["fast_forward"] },
      { priority: 3, tags: ["no_entry_sign"], message: "cancelled by ada\n$0.00 · 12 min" },
      { priority: 4, tags: ["no_entry_sign"] },
    ]);
  });

  test("shows failures with high priority, and waiting tasks without a button", async () => {
    await send({}, notice({ kind: "failed" }));
    await send({}, notice({ kind: "waiting", title: "Ünïcode – ☃", data: WAITING }));
    expect(ntfy.shown).toMatchObject([
      { priority: 4, tags: ["rotating_light"] },
      { priority: 3, tags: ["raised_hand"], title: "shop: waits for your approval – Ünïcode – ☃" },
    ]);
    expect(ntfy.shown[1]).not.toHaveProperty("actions");
    expect(ntfy.shown[1]).not.toHaveProperty("click");
  });
});

describe("ntfy errors", () => {
  test("reports a wrong token", async () => {
    const error = await failure(send({ env: { NTFY_TOKEN: "tk_wrong" } }));
    expect(error.message).toMatch(/^HTTP 401 from 127\.0\.0\.1:\d+: .*unauthorized/);
  });

  test("names a variable that is not set, and sends nothing", async () => {
    const error = await failure(send({ env: { NTFY_TOKEN: " " } }));
    expect(error.message).toContain("NTFY_TOKEN is not set");
    expect(error.message).toContain("notify.ntfy.token_env");
    expect(ntfy.requests).toEqual([]);
  });

  test("reports rate limits, server errors and closed connections", async () => {
    ntfy.fail({ status: 429, headers: { "retry-after": "7" }, body: "slow down" }, { status: 500 }, "drop");
    expect(await failure(send())).toMatchObject({ retryAfterMs: 7_000, message: expect.stringContaining("slow down") });
    expect(await failure(send())).toMatchObject({ retryAfterMs: null, message: expect.stringMatching(/^HTTP 500/) });
    expect((await failure(send())).message).toContain("cannot be reached");
    await send();
    expect(ntfy.shown).toHaveLength(1);
  });

  test("reports a server that hangs or is not running", async () => {
    ntfy.fail("hang");
    expect((await failure(send({ timeoutMs: 500 }))).message).toContain("did not answer within 0.5 s");
    await ntfy.close();
    expect((await failure(send())).message).toContain("cannot be reached (ECONNREFUSED)");
  });

  test("truncates an endless response", async () => {
    ntfy.fail("flood");
    expect((await failure(send())).message.length).toBeLessThan(300);
  });

  test("does not send the token to the target of a redirect", async () => {
    const other = await openLoopback(() => ({ status: 200 }));
    ntfy.fail({ status: 307, headers: { location: `${other.url}/?token=${TOKEN}` } });
    const error = await failure(send());
    expect(error.message).toContain(`redirects to ${other.url} are not followed`);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test("redacts the token in responses", async () => {
    ntfy.fail({ status: 400, body: `who is Bearer ${TOKEN}?` });
    expect((await failure(send())).message).toContain("who is Bearer [redacted]?");
  });

  test.for([
    [{ topic: "https://ntfy.sh/my-night" }, "notify.ntfy.topic"],
    [{ topic: "a b" }, "notify.ntfy.topic"],
  ] as const)("rejects the topic %j", async ([options, key]) => {
    expect((await failure(send(options))).message).toContain(key);
    expect(ntfy.requests).toEqual([]);
  });

  test("rejects the URL of a topic, because it would show raw JSON", async () => {
    expect((await failure(send({ url: `${ntfy.url}/my-night` }))).message).toContain(`set it to ${ntfy.url}`);
    expect(ntfy.shown).toEqual([]);
  });
});
