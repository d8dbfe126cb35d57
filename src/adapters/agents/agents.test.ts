import { describe, expect, it, test } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import type { OwnSettings } from "../../core/settings/kinds.ts";
import type { AgentSettings } from "../../core/settings/settings.ts";
import { exampleRun, testAgent } from "../../testing/suites/agent.suite.ts";
import { builtInAgents, createAgent, describeAgents } from "./create-agent.ts";
import { AGENTS } from "./index.ts";

const EVENT_LINES = [
  ['{"type":"text","text":"hi"}', [{ type: "text", text: "hi" }]],
  ['{"type":"thinking","text":"hm"}', [{ type: "thinking", text: "hm" }]],
  ['{"type":"session","id":"s-1"}', [{ type: "session", id: "s-1" }]],
  ['{"type":"error","message":"no"}', [{ type: "error", message: "no", failure: null }]],
  [
    '{"type":"tool_call","id":"1","name":"sh","input":{"a":1}}',
    [{ type: "tool_call", id: "1", name: "sh", input: { a: 1 } }],
  ],
  ['{"type":"tool_result","id":"1","output":"ok"}', [{ type: "tool_result", id: "1", output: "ok", failed: false }]],
  ['{"type":"file_change","path":"a","change":"created"}', [{ type: "file_change", path: "a", change: "created" }]],
  [
    '{"type":"usage","tokens":{"input":7,"cache_read":2},"cost_usd":0.5}',
    [
      {
        type: "usage",
        tokens: { input: 7, output: 0, cacheRead: 2, cacheWrite: 0 },
        costUsd: 0.5,
        model: null,
        scope: "delta",
      },
    ],
  ],
  [
    '{"type":"limit","kind":"usage","resets_at":"2030-01-01T00:00:00Z"}',
    [{ type: "limit", kind: "usage", resetsAt: Date.UTC(2030, 0, 1) }],
  ],
  // A negative cost would raise the budget.
  [
    '{"type":"usage","tokens":{},"cost_usd":-5}',
    [{ type: "text", text: '{"type":"usage","tokens":{},"cost_usd":-5}' }],
  ],
] as const;

testAgent("command with prompt on stdin", {
  create: () => createAgent(AGENTS, settings({ command: ["my-agent", "--fast"] })),
  lines: EVENT_LINES,
});
testAgent("command with prompt file", {
  create: () => createAgent(AGENTS, settings({ command: ["my-agent", "--prompt={{prompt_file}}"], prompt: "file" })),
  lines: EVENT_LINES,
});
testAgent("scripted", {
  create: () => createAgent(AGENTS, settings({ kind: "scripted", script: "happy" })),
  lines: EVENT_LINES,
});

describe("createAgent", () => {
  it("lists the known kinds when the kind is unknown", () => {
    expect(() => createAgent(AGENTS, settings({ kind: "comand" }))).toThrow(
      'Unknown agent kind `comand`. Did you mean "command"? Known kinds: claude-code, codex,',
    );
    expect(() => createAgent(AGENTS, settings({ kind: "constructor" }))).toThrow(UserError);
  });

  it.each([
    [{}, "needs a `command`"],
    [{ command: [""] }, "needs a `command`"],
    [{ command: ["x", "y"], prompt: "file" }, "no argument of `command` contains {{prompt_file}}"],
    [{ kind: "scripted", script: "hapy" }, 'Did you mean "happy"?'],
    [{ kind: "scripted", script: "../x.json" }, "Unknown script"],
  ] as const)("rejects %j", (changes, message) => {
    expect(() => createAgent(AGENTS, settings(changes))).toThrow(message);
  });
});

describe("command", () => {
  it("replaces {{prompt_file}} with the unmodified path of the prompt", () => {
    const agent = createAgent(AGENTS, settings({ command: ["my-agent", "-p", "{{prompt_file}}"], prompt: "file" }));
    expect(agent.command(exampleRun("implement", { model: "m", promptFile: "/runs/$&/prompt.md" }))).toEqual({
      argv: ["my-agent", "-p", "/runs/$&/prompt.md"],
      env: { NIGHTSHIFT_MODEL: "m" },
      prompt: "file",
      read: [],
      files: {},
    });
  });
});

describe("describeAgents", () => {
  it("returns the program to look for, or the configuration error", () => {
    const described = describeAgents(AGENTS, {
      mine: settings({ command: ["./tools/my-agent"] }),
      demo: settings({ kind: "scripted" }),
      odd: settings({ kind: "odd" }),
    });
    expect(described).toEqual([
      {
        name: "mine",
        kind: "command",
        program: { name: "./tools/my-agent", versionArgs: [], oldest: null, install: expect.any(String) },
        gateway: null,
        problem: null,
      },
      { name: "demo", kind: "scripted", program: null, gateway: null, problem: null },
      {
        name: "odd",
        kind: "odd",
        program: null,
        problem: expect.stringContaining("Known kinds: claude-code, codex,"),
        gateway: null,
      },
    ]);
  });
});

test("describeAgents: an agent without its required settings reports what is missing in one line", () => {
  const problems = describeAgents(AGENTS, builtInAgents(AGENTS)).filter(({ problem }) => problem !== null);
  expect(problems.map(({ name }) => name)).toEqual(["acp", "command"]);
  for (const { name, problem } of problems)
    expect(problem).toMatch(RegExp(`^An agent of kind .${name}. needs .{20,60}$`));
});

function settings({ kind = "command", ...options }: { readonly kind?: string } & OwnSettings): AgentSettings {
  return { kind, model: null, options };
}
