import { describe, expect, it, test } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import type { OwnSettings } from "../../core/settings/kinds.ts";
import type { AgentSettings } from "../../core/settings/settings.ts";
import { exampleRun, testAgent } from "../../testing/suites/agent.suite.ts";
import { builtInAgents, createAgent, describeAgents } from "./create-agent.ts";
import { AGENTS } from "./index.ts";

const OWN_LINES = [
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
  // Money that flows back would lift a budget.
  [
    '{"type":"usage","tokens":{},"cost_usd":-5}',
    [{ type: "text", text: '{"type":"usage","tokens":{},"cost_usd":-5}' }],
  ],
] as const;

testAgent("command by stdin", {
  create: () => createAgent(AGENTS, settings({ command: ["my-agent", "--fast"] })),
  lines: OWN_LINES,
});
testAgent("command by file", {
  create: () => createAgent(AGENTS, settings({ command: ["my-agent", "--prompt={{prompt_file}}"], prompt: "file" })),
  lines: OWN_LINES,
});
testAgent("scripted", {
  create: () => createAgent(AGENTS, settings({ kind: "scripted", script: "happy" })),
  lines: OWN_LINES,
});

describe("createAgent", () => {
  it("names the known kinds for one that is not", () => {
    expect(() => createAgent(AGENTS, settings({ kind: "comand" }))).toThrow(
      'There is no agent of kind `comand`. Did you mean "command"? Known are claude-code, codex,',
    );
    expect(() => createAgent(AGENTS, settings({ kind: "constructor" }))).toThrow(UserError);
  });

  it.each([
    [{}, "needs a `command`"],
    [{ command: [""] }, "needs a `command`"],
    [{ command: ["x", "y"], prompt: "file" }, "no argument of `command` says where it goes"],
    [{ kind: "scripted", script: "hapy" }, 'Did you mean "happy"?'],
    [{ kind: "scripted", script: "../x.json" }, "There is no script"],
  ] as const)("refuses %j", (changes, message) => {
    expect(() => createAgent(AGENTS, settings(changes))).toThrow(message);
  });
});

describe("command", () => {
  it("puts the prompt's path where the arguments ask for it, as it is", () => {
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
  it("says what to look for, and what cannot be used at all", () => {
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
        problem: expect.stringContaining("Known are claude-code, codex,"),
        gateway: null,
      },
    ]);
  });
});

test("an agent that nobody configured says in one line what it lacks", () => {
  const problems = describeAgents(AGENTS, builtInAgents(AGENTS)).filter(({ problem }) => problem !== null);
  expect(problems.map(({ name }) => name)).toEqual(["acp", "command"]);
  for (const { name, problem } of problems)
    expect(problem).toMatch(RegExp(`^An agent of kind .${name}. needs .{20,60}$`));
});

function settings({ kind = "command", ...options }: { readonly kind?: string } & OwnSettings): AgentSettings {
  return { kind, model: null, options };
}
