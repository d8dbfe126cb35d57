import { afterEach, beforeEach, expect, test } from "vitest";
import type { Notice } from "../../../ports/store.ts";
import { openLoopbackWebhook, type LoopbackWebhook } from "../../../testing/loopback/loopback-webhook.ts";
import { sampleNotice } from "../../../testing/store/samples.ts";
import { createWebhookNotifier, sign } from "./webhook.ts";

const SECRET = "webhook-key-0123456789";
let webhook: LoopbackWebhook;

beforeEach(async () => {
  webhook = await openLoopbackWebhook({ secret: SECRET });
});
afterEach(async () => {
  await webhook.close();
});

const notice: Notice = { ...sampleNotice(), id: 12, attempts: 0 };

async function send(secret: string | null = SECRET, path = "/hook"): Promise<void> {
  const settings = { url: webhook.url + path, ...(secret === null ? {} : { secret_env: "HOOK_SECRET" }) };
  const env = secret === null ? {} : { HOOK_SECRET: secret };
  await createWebhookNotifier({ settings, env, timeoutMs: 5_000 }).send(notice, new AbortController().signal);
}

test("webhook: sends all fields signed, and uses the same delivery id for a retry", async () => {
  await send();
  await send();
  expect(webhook.requests).toHaveLength(2);
  expect([...webhook.received]).toEqual([
    [
      "task_x-12",
      {
        delivery: "task_x-12",
        kind: "finished",
        about: null,
        at: "1970-01-01T00:00:01.000Z",
        project: "shop",
        task: "task_x",
        title: "shop: published – docs (fallback from tests)",
        text: "The README says how to start it.\nhttps://git.example.com/shop/-/merge_requests/7\n$0.42 · 12 min",
        task_title: "Done",
        pipeline: "improve",
        status: "succeeded",
        state: "published",
        outcome: "published",
        category: "docs (fallback from tests)",
        reason: "The README says how to start it.",
        url: "https://git.example.com/shop/-/merge_requests/7",
        page: null,
        cost_usd: 0.42,
        duration_ms: 720_000,
        waiting_for: null,
        next: [],
      },
    ],
  ]);
});

test("webhook: errors contain neither the key nor the path", async () => {
  webhook.fail({ status: 403, body: "bad signature on /hook/secret-path, key was another-key-1" });
  const error = await send("another-key-1", "/hook/secret-path").catch((thrown: unknown) => String(thrown));
  expect(error).toContain("HTTP 403");
  expect(error).not.toMatch(/another-key-1|secret-path/);
  await expect(send("another-key-1")).rejects.toThrow("bad signature");
  expect(webhook.received.size).toBe(0);
});

test("webhook: sends no signature without a key", async () => {
  webhook.fail({ status: 204 });
  await send(null);
  expect(webhook.requests[0]?.headers).not.toHaveProperty("x-nightshift-signature");
  expect(webhook.requests[0]?.headers["x-nightshift-delivery"]).toBe("task_x-12");
});

test("webhook: the signature matches the documentation", () => {
  // printf '1700000000.{}' | openssl dgst -sha256 -hmac key
  expect(sign("key", "1700000000", "{}")).toBe(
    "sha256=9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae",
  );
});
