import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openLoopbackNtfy } from "../../src/testing/loopback/loopback-ntfy.ts";
import { openLoopbackWebhook } from "../../src/testing/loopback/loopback-webhook.ts";
import { openNight, type Night, type NightOptions } from "../support/night.ts";

const TOKEN = "tk_Zq81mPx73LkTr92vWn40";
const SECRET = "hook-Jd83nQp41XsLm29cVb";
const WAIT = { timeout: 20_000 };
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of cleanups.splice(0).toReversed()) await close();
});

async function openWithChannels(options: NightOptions = {}) {
  const ntfy = await openLoopbackNtfy({ token: TOKEN });
  const webhook = await openLoopbackWebhook({ secret: SECRET });
  cleanups.push(ntfy.close, webhook.close);
  const night = await openNight({
    env: { ...process.env, NTFY_TOKEN: TOKEN, HOOK_SECRET: SECRET },
    settings: `notify: { webhook: { url: "${webhook.url}", secret_env: HOOK_SECRET, on: [failed] } }\n`,
    userSettings: `sandbox: { mode: none }\nnotify: { ntfy: { url: "${ntfy.url}", topic: t, token_env: NTFY_TOKEN } }\n`,
    ...options,
  });
  cleanups.push(night.close);
  return { night, ntfy, webhook };
}

/** Returns the files in Nightshift's home that contain this text, except its settings. */
async function filesContaining(night: Night, text: string): Promise<readonly string[]> {
  const entries = await readdir(night.home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const held = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_, index) => held[index] === true);
}

test("notifications: an ended task is sent to every subscribed channel and to no other", async () => {
  const { night, ntfy, webhook } = await openWithChannels();
  const task = await night.settled((await night.submit()).id);
  expect(task.status).toBe("succeeded");
  await expect
    .poll(() => ntfy.shown, WAIT)
    .toMatchObject([
      {
        topic: "t",
        title: "shop: done – Greet the world",
        priority: 3,
        message: expect.stringMatching(/cost unknown · \d+ s$/),
      },
    ]);
  expect(webhook.requests).toEqual([]);
});

test("notifications: a failure reaches both channels, an invalid token or dead server does no harm, and no secret is stored", async () => {
  const { night, ntfy, webhook } = await openWithChannels({ agent: 'echo "it is broken" >&2\nexit 3' });
  ntfy.fail({ status: 401, body: `who is ${TOKEN}?` });
  webhook.fail("drop");
  const task = await night.settled((await night.submit()).id);
  expect(task.status).toBe("failed");
  // The second attempt follows two seconds later.
  await expect.poll(() => ntfy.shown, WAIT).toMatchObject([{ priority: 4, title: "shop: failed – Greet the world" }]);
  await expect.poll(() => webhook.received.size, WAIT).toBe(1);
  expect([...webhook.received.values()][0]).toMatchObject({
    kind: "failed",
    task: task.id,
    cost_usd: null,
    next: [`nightshift show ${task.id}`, `nightshift retry ${task.id}`],
  });
  expect(await filesContaining(night, TOKEN)).toEqual([]);
  expect(await filesContaining(night, SECRET)).toEqual([]);
  expect(night.notices.join("")).not.toContain(TOKEN);
});

test("notifications: a waiting task includes the command to answer", async () => {
  const { night, ntfy } = await openWithChannels({
    agent:
      'printf \'{"outcome":"needs_info","summary":"asks","questions":[{"id":"port","question":"Which port?","input":"text"}]}\' > "$OUT"',
  });
  const task = await night.settled((await night.submit()).id);
  expect(task.waitingFor?.kind).toBe("answers");
  await expect
    .poll(() => ntfy.shown, WAIT)
    .toMatchObject([
      {
        title: "shop: waits for your answers – Greet the world",
        message: expect.stringMatching(new RegExp(`Which port\\?\n.*\n→ nightshift answer ${task.id} port=…$`)),
      },
    ]);
});
