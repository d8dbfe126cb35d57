import { connect } from "node:net";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import type { HookCall } from "../../ports/forge.ts";
import { createApp } from "../app.ts";
import { problemSchema } from "../contract/problem.ts";
import type { HttpDeps } from "../deps.ts";
import { ADDRESS, type Harness, openHarness } from "../harness.suite.ts";
import { openHttpServer } from "../listen.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

const URL = "http://127.0.0.1:4816/api/v1/projects/shop/forge-hook";
const NO_JSON = Buffer.from([0x7b, 0xff, 0x00, 0x22]);

async function send(options: {
  readonly verdict: "accepted" | "rejected" | null;
  readonly body?: Uint8Array;
  readonly host?: string;
}) {
  const calls: { readonly project: string; readonly call: HookCall; readonly body: Uint8Array }[] = [];
  const verifyHook = async (project: string, call: HookCall) => {
    calls.push({ project, call, body: await call.body() });
    return options.verdict;
  };
  const app = createApp({ ...api.deps, verifyHook }, ADDRESS);
  const response = await app.request(URL, {
    method: "POST",
    headers: { host: options.host ?? "127.0.0.1:4816", "x-gitlab-token": "it", "content-type": "text/plain" },
    body: Buffer.from(options.body ?? NO_JSON),
  });
  app.close();
  return { response, calls };
}

it("forge webhook: passes on the raw bytes without needing a token, and responds 202", async () => {
  const { response, calls } = await send({ verdict: "accepted" });
  expect([response.status, await response.text()]).toEqual([202, ""]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.project).toBe("shop");
  expect(Buffer.from(calls[0]?.body ?? []).equals(NO_JSON)).toBe(true);
  expect(calls[0]?.call.header("X-GitLab-Token")).toBe("it");
});

it.each([
  ["rejected", 401, /signature or token of this webhook is missing or wrong/],
  [null, 404, /no such project, or it has no webhook/],
] as const)("forge webhook: the verdict %s is answered with %i and a message", async (verdict, status, sentence) => {
  const { response } = await send({ verdict });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(await response.json());
  expect(problem.detail).toMatch(sentence);
  expect(problem.hint).toContain("forge.webhook_secret_env");
});

it("forge webhook: refuses bodies over 2 MB and a foreign Host", async () => {
  const large = await send({ verdict: "accepted", body: new Uint8Array(2 * 1024 * 1024 + 1) });
  expect([large.response.status, large.calls]).toEqual([413, []]);
  expect(large.response.headers.get("content-type")).toBe("application/problem+json");
  const foreign = await send({ verdict: "accepted", host: "night.example.com" });
  expect([foreign.response.status, foreign.calls]).toEqual([403, []]);
});

/** Opens separate connections that never complete their bodies. */
async function sendUnfinished(count: number, verifyHook: HttpDeps["verifyHook"]) {
  const server = await openHttpServer({ ...api.deps, verifyHook }, { host: "127.0.0.1", port: 0, publicUrl: null });
  onTestFinished(() => server.close());
  const head = `POST /api/v1/projects/shop/forge-hook HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n`;
  return Array.from({ length: count }, () => {
    const socket = connect(server.port, "127.0.0.1");
    const received: Buffer[] = [];
    const closed = new Promise<string>((resolve) => {
      socket.once("close", () => resolve(Buffer.concat(received).toString()));
    });
    socket.on("error", () => undefined);
    socket.on("data", (piece) => received.push(piece));
    socket.write(`${head}content-length: 1999999\r\n\r\n${"x".repeat(10_000)}`);
    return { socket, closed, hasAnswer: () => received.length > 0 };
  });
}

it("forge webhook: responds to an unexpected call without waiting for its body", async () => {
  const calls = await sendUnfinished(50, async () => null);
  const answers = await Promise.all(calls.map(({ closed }) => closed));
  expect(answers.map((answer) => answer.split("\r\n", 1)[0])).toEqual(Array(50).fill("HTTP/1.1 404 Not Found"));
});

it("forge webhook: reads eight bodies concurrently and frees the slots of interrupted ones", async () => {
  const readers = { now: 0 };
  const verifyHook = async (_: string, call: HookCall) => {
    readers.now++;
    await call.body().finally(() => readers.now--);
    return "rejected" as const;
  };
  const calls = await sendUnfinished(30, verifyHook);
  const rejected = await waitForFirst(calls, 22);
  for (const answer of rejected) {
    expect(answer).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: \d+\r\n[^]*Too many concurrent webhooks; the limit is 8/i);
    expect(answer).toContain("application/problem+json");
  }
  const waiting = calls.filter(({ hasAnswer }) => !hasAnswer());
  expect([waiting.length, readers.now]).toEqual([8, 8]);
  for (const { socket } of waiting) socket.destroy();
  await expect.poll(() => readers.now, { timeout: 20_000 }).toBe(0);
  expect(api.logged).toEqual([]);
});

async function waitForFirst(calls: readonly { readonly closed: Promise<string> }[], count: number) {
  const answers: string[] = [];
  await new Promise<void>((resolve) => {
    for (const { closed } of calls)
      void closed.then((answer) => (answers.push(answer) === count ? resolve() : undefined));
  });
  return answers;
}
