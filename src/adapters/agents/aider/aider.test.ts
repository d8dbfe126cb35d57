import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { aider } from "./aider.ts";

// Aider is not installed here. The sample follows its documentation (aider.chat/docs).
const SAMPLE = readFileSync(new URL("./fixtures/aider-documented.txt", import.meta.url), "utf8");

const settings = (model: string | null = null) => ({ model });

function usage(tokens: readonly [number, number, number, number], costUsd: number | null): TranscriptEvent {
  const [input, output, cacheRead, cacheWrite] = tokens;
  return { type: "usage", tokens: { input, output, cacheRead, cacheWrite }, costUsd, model: null, scope: "delta" };
}

const failed = (message: string, failure: string | null) => ({ type: "error", message, failure }) as TranscriptEvent;

testAgent("aider", {
  create: () => aider(settings()),
  lines: [
    ["Tokens: 1.2k sent, 345 received. Cost: $0.01 message, $0.02 session.", [usage([1200, 345, 0, 0], 0.01)]],
    ["Tokens: 12k sent, 1.1k received.", [usage([12_000, 1100, 0, 0], null)]],
    ["Tokens: 12k sent, 2.0k cache write, 4.0k cache hit, 50 received.", [usage([6000, 50, 4000, 2000], null)]],
    [
      "Tokens: 900 sent, 300 cache hit, 9 received. Cost: $0.0045 message, $0.01 session.",
      [usage([600, 9, 300, 0], 0.0045)],
    ],
    ["Applied edit to src/a b.py", [{ type: "file_change", path: "src/a b.py", change: "modified" }]],
    [
      "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided",
      [
        failed(
          "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided",
          "login",
        ),
      ],
    ],
    [
      "litellm.RateLimitError: AnthropicException - too fast",
      [
        { type: "limit", kind: "rate", resetsAt: null },
        failed("litellm.RateLimitError: AnthropicException - too fast", "rate_limit"),
      ],
    ],
    [
      "litellm.RateLimitError: You exceeded your current quota, please check your plan",
      [
        { type: "limit", kind: "usage", resetsAt: null },
        failed("litellm.RateLimitError: You exceeded your current quota, please check your plan", "usage_limit"),
      ],
    ],
    [
      "litellm.ContextWindowExceededError: too much",
      [failed("litellm.ContextWindowExceededError: too much", "context_too_long")],
    ],
    ["litellm.InternalServerError: odd", [failed("litellm.InternalServerError: odd", "overloaded")]],
    ["litellm.NotFoundError: no such model", [failed("litellm.NotFoundError: no such model", null)]],
    ["Model gpt-4o has hit a token limit!", [failed("Model gpt-4o has hit a token limit!", "context_too_long")]],
    // Text of the model.
    ["I handle litellm.RateLimitError: here", [{ type: "text", text: "I handle litellm.RateLimitError: here" }]],
    ["Tokens: many sent", [{ type: "text", text: "Tokens: many sent" }]],
  ],
});

describe("aider", () => {
  it("parses the documented output", () => {
    const events = SAMPLE.split("\n").flatMap((line) => aider(settings()).parseLine(line));
    expect(events.filter(({ type }) => type !== "text")).toEqual([
      usage([1200, 345, 0, 0], 0.01),
      { type: "file_change", path: "greet.py", change: "modified" },
    ]);
  });

  it("keeps its files outside the workspace and does not commit", () => {
    const { argv, files } = aider(settings()).command(exampleRun("implement"));
    const at = (flag: string) => argv[argv.indexOf(flag) + 1];
    for (const flag of ["--chat-history-file", "--input-history-file", "--llm-history-file"])
      expect(at(flag)).toMatch(/^\/h\/task_1\/role\//);
    expect(argv).toContain("--no-auto-commits");
    expect(argv).toContain("--no-dirty-commits");
    expect(files[at("--read") ?? ""]).toContain("- /w/report is ../report");
  });

  it("overrides every setting of the repository that could start a program", () => {
    const { argv, files } = aider(settings()).command(exampleRun("implement"));
    const at = (flag: string) => argv[argv.indexOf(flag) + 1];
    expect(["--lint-cmd", "--test-cmd", "--notifications-command"].map(at)).toEqual(["true", "true", "true"]);
    expect(files[at("--load") ?? ""]).toBe("");
  });

  it.each([
    ["gpt-4o", "openai", { OPENAI_API_BASE: "http://127.0.0.1:3129/v1", OPENAI_API_KEY: "nonce-of-the-run" }],
    ["claude-x", "anthropic", { ANTHROPIC_API_BASE: "http://127.0.0.1:3129", ANTHROPIC_API_KEY: "nonce-of-the-run" }],
  ])("calls the model %s through the gateway", (model, api, env) => {
    expect(aider(settings(model)).capabilities.gateway).toBe(api);
    expect(aider(settings(model)).command(exampleRun("implement")).env).toMatchObject(env);
    expect(aider(settings(model)).command(exampleRun("implement", { gateway: null })).env).not.toHaveProperty(
      Object.keys(env)[0] ?? "",
    );
  });

  it("removes aider's index of the repository and keeps its exit code", () => {
    const dir = mkdtempSync(join(tmpdir(), "aider-"));
    try {
      writeFileSync(join(dir, "aider"), "#!/bin/sh\nmkdir .aider.tags.cache.v4 && touch work && exit 7\n", {
        mode: 0o755,
      });
      mkdirSync(join(dir, "w"));
      const [program, ...args] = aider(settings()).command(exampleRun("implement")).argv;
      const { status } = spawnSync(program, args, {
        cwd: join(dir, "w"),
        env: { PATH: `${dir}:${process.env["PATH"]}` },
      });
      expect(status).toBe(7);
      expect(existsSync(join(dir, "w", "work"))).toBe(true);
      expect(existsSync(join(dir, "w", ".aider.tags.cache.v4"))).toBe(false);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
