import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { GatewayPlan } from "../ports/gateway.ts";
import type { Job, JobCommand } from "../ports/supervisor.ts";
import { testPolicy } from "../testing/policy.ts";
import { realSupervisors } from "../testing/real-supervisors.ts";
import { only, openJobBench, printed } from "../testing/suites/supervisor/supervisor.suite.ts";
import { waitUntil } from "../testing/wait-until.ts";
import type { JobBench } from "../testing/suites/supervisor/supervisor.suite.ts";

// Assembled at run time, so that no source file contains something that looks like a key.
const KEY = ["sk", "ant", "real", "c0ffee15900d"].join("-");
const NONCE = "nonce-4711";
const INSIDE = "http://127.0.0.1:3129";

let bench: JobBench;
beforeEach(() => {
  bench = openJobBench(realSupervisors);
});

/** A model server that streams 40 tokens for every message. */
async function openModel(): Promise<{ readonly url: string; readonly keys: unknown[] }> {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["x-api-key"]);
    void text(request).then(() => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const start = { type: "message_start", message: { model: "claude-x-1", usage: { input_tokens: 10 } } };
      const end = { type: "message_delta", usage: { output_tokens: 30 } };
      response.end(`data: ${JSON.stringify(start)}\n\ndata: ${JSON.stringify(end)}\n\n`);
      return null;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The cast is safe: a server that listens on TCP has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

/** A CLI that calls its model a few times, prints the responses and then runs the given code. */
function client(times: number, then = ""): readonly [string, ...string[]] {
  const script = `
    const url = process.env.MODEL_URL + "/v1/messages";
    const headers = { "x-api-key": process.argv[1], "content-type": "application/json" };
    const body = JSON.stringify({ model: "claude-x", max_tokens: 50, messages: [] });
    for (let i = 0; i < ${times}; i++) {
      const answer = await fetch(url, { method: "POST", headers, body });
      console.log(answer.status, (await answer.text()).includes("budget of this run") ? "budget" : "words");
    }
    ${then}`;
  return [process.execPath, "--input-type=module", "-e", script, NONCE];
}

function job(upstream: string, command: Partial<JobCommand>, changes: Partial<Job> = {}): Job {
  const plan: GatewayPlan = {
    api: "anthropic",
    upstream,
    keyName: "MODEL_KEY",
    keyKind: "api_key",
    nonce: NONCE,
    limitUsd: null,
    limitTokens: null,
    prices: { "claude-*": { input: 10, output: 100, cacheRead: 1, cacheWrite: 12 } },
    ...command.gateway,
  };
  const policy = testPolicy(bench.home, { env: { PATH: process.env["PATH"] ?? "", MODEL_URL: INSIDE } });
  return bench.job([{ policy, ...command, gateway: plan }], { keys: { MODEL_KEY: KEY }, ...changes });
}

const limit = (limitTokens: number) => ({ limitTokens }) as GatewayPlan;
const usage = (of: Job): unknown[] => printed(of, "gateway").map((line) => JSON.parse(line) as unknown);

describe.each(["enforce", "none"] as const)("model gateway with sandbox.mode %s", (sandbox) => {
  test("the command sends a nonce, the model gets the key, and the transcript records the usage", async () => {
    const model = await openModel();
    const asked = job(model.url, { argv: client(2) }, { sandbox });
    expect(await bench.run(asked)).toMatchObject({ error: null, commands: [{ exit: { code: 0 }, endedBy: "exit" }] });
    expect(printed(asked)).toEqual(["200 words", "200 words"]);
    expect(model.keys).toEqual([KEY, KEY]);
    const line = {
      type: "usage",
      tokens: { input: 10, output: 30, cache_read: 0, cache_write: 0 },
      cost_usd: expect.closeTo(0.0031),
      model: "claude-x-1",
    };
    expect(usage(asked)).toEqual([line, line]);
  });

  test("a command whose budget is used up may finish its output and is recorded as ended by budget", async () => {
    bench = openJobBench({ ...realSupervisors, create: (home) => realSupervisors.create(home, 15_000) });
    const model = await openModel();
    const asked = job(model.url, { argv: client(3, "process.exit(7)"), gateway: limit(140) }, { sandbox });
    expect(only(await bench.run(asked))).toMatchObject({ exit: { code: 7 }, endedBy: "budget" });
    expect(printed(asked)).toEqual(["200 words", "200 words", "400 budget"]);
    expect(printed(asked, "supervisor")).toEqual([expect.stringContaining("80 of 140 tokens are spent")]);
    expect(model.keys).toHaveLength(2);
  });

  test("a command that continues after its budget is used up is ended", async () => {
    const model = await openModel();
    const argv = client(2, "setInterval(() => {}, 1000)");
    const asked = job(model.url, { argv, gateway: limit(100) }, { sandbox });
    const { endedBy, durationMs } = only(await bench.run(asked));
    expect(endedBy).toBe("budget");
    expect(durationMs).toBeLessThan(15_000);
    expect(printed(asked, "supervisor").at(-1)).toMatch(/did not exit after its budget was used up/);
  });
});

test("model gateway: the key is in no file, environment, argument or output, and the gateway leaves nothing behind", async () => {
  const model = await openModel();
  const seen = "const fs = await import('node:fs'); console.log(fs.readFileSync('/proc/self/environ', 'latin1'));";
  const waitForGo = "while (!fs.existsSync('go')) await new Promise((done) => setTimeout(done, 20));";
  const asked = job(model.url, { argv: client(1, `${seen} ${waitForGo}`) }, { sandbox: "enforce" });
  await bench.supervisors.start(asked);
  await waitUntil(() => usage(asked).length > 0);
  const during = texts(bench.home);
  const argv = realSupervisors.processesOf(asked.run).map((pid) => readProc(pid, "cmdline") + readProc(pid, "environ"));
  expect(argv).not.toEqual([]);
  writeFileSync(join(bench.home, "go"), "");
  await bench.watch(asked.dir);
  await waitUntil(() => realSupervisors.processesOf(asked.run).length === 0);
  expect(printed(asked).join("\n")).toContain(INSIDE);
  expect([during, argv, texts(bench.home)].flat().filter((found) => found.includes(KEY))).toEqual([]);
  expect(readdirSync(bench.home, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gw"))).toEqual(
    [],
  );
});

test("model gateway: its address is replaced in arguments and environment, but similar addresses are not", async () => {
  const model = await openModel();
  const asked = job(model.url, { argv: ["echo", `url="${INSIDE}/v1"`, `${INSIDE}0`] }, { sandbox: "none" });
  await bench.run(asked);
  expect(printed(asked)).toEqual([
    expect.stringMatching(/^url="http:\/\/127\.0\.0\.1:\d+\/v1" http:\/\/127\.0\.0\.1:31290$/),
  ]);
  expect(printed(asked)[0]).not.toContain(`${INSIDE}/`);
});

test("model gateway: a secret in a model name is redacted in the transcript", async () => {
  const model = await openModel();
  const secret = ["t0p", "s3cr3t", "value"].join("-");
  const argv = client(1).map((part) => part.replace('"claude-x"', `"${secret}"`)) as [string, ...string[]];
  const gateway = { limitUsd: 5 } as GatewayPlan;
  const asked = job(model.url, { argv, gateway }, { redact: [{ name: "TOKEN", value: secret }] });
  await bench.run(asked);
  expect(printed(asked, "supervisor")).toEqual([expect.stringMatching(/^The price of model .* is unknown/)]);
  expect(texts(asked.dir).filter((found) => found.includes(secret) && !found.includes('"argv"'))).toEqual([]);
});

test("model gateway: a missing key is reported in the exit record", async () => {
  const asked = job("https://model.example", { argv: ["echo", "ran"] }, { keys: {} });
  const record = await bench.run(asked);
  expect(record.error?.message).toContain("MODEL_KEY is empty or not set");
  const broken = job("https://model.example", { argv: ["echo", "ran"] }, { keys: { MODEL_KEY: "two\nlines" } });
  expect((await bench.run(broken)).error?.message).toContain("MODEL_KEY is not a valid API key");
  expect([...printed(asked), ...printed(broken)]).toEqual([]);
});

function texts(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), "latin1")] : [],
  );
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
