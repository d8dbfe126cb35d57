import { afterEach, beforeEach, expect, it } from "vitest";
import type { HookCall } from "../../ports/forge.ts";
import { createApp } from "../app.ts";
import { problemSchema } from "../contract/problem.ts";
import { ADDRESS, type Harness, openHarness } from "../harness.suite.ts";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

const URL = "http://127.0.0.1:4816/api/v1/projects/shop/forge-hook";
const NO_JSON = Buffer.from([0x7b, 0xff, 0x00, 0x22]);

async function send(given: {
  readonly verdict: "taken" | "refused" | null;
  readonly body?: Uint8Array;
  readonly host?: string;
}) {
  const judged: { readonly project: string; readonly call: HookCall }[] = [];
  const judgeHook = async (project: string, call: HookCall) => {
    judged.push({ project, call });
    return given.verdict;
  };
  const app = createApp({ ...api.deps, judgeHook }, ADDRESS);
  const response = await app.request(URL, {
    method: "POST",
    headers: { host: given.host ?? "127.0.0.1:4816", "x-gitlab-token": "it", "content-type": "text/plain" },
    body: Buffer.from(given.body ?? NO_JSON),
  });
  app.close();
  return { response, judged };
}

it("hands over the bytes as they came, without a token of ours, and answers 202", async () => {
  const { response, judged } = await send({ verdict: "taken" });
  expect([response.status, await response.text()]).toEqual([202, ""]);
  expect(judged).toHaveLength(1);
  expect(judged[0]?.project).toBe("shop");
  expect(Buffer.from(judged[0]?.call.body ?? []).equals(NO_JSON)).toBe(true);
  expect(judged[0]?.call.header("X-GitLab-Token")).toBe("it");
});

it.each([
  ["refused", 401, /signature or token of this webhook is missing or wrong/],
  [null, 404, /no such project, or it expects no webhook/],
] as const)("answers what is judged %s with %i and a sentence", async (verdict, status, sentence) => {
  const { response } = await send({ verdict });
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(await response.json());
  expect(problem.detail).toMatch(sentence);
  expect(problem.hint).toContain("forge.webhook_secret_env");
});

it("judges no body over two megabytes, and none that came under another host's name", async () => {
  const large = await send({ verdict: "taken", body: new Uint8Array(2 * 1024 * 1024 + 1) });
  expect([large.response.status, large.judged]).toEqual([413, []]);
  expect(large.response.headers.get("content-type")).toBe("application/problem+json");
  const foreign = await send({ verdict: "taken", host: "night.example.com" });
  expect([foreign.response.status, foreign.judged]).toEqual([403, []]);
});
