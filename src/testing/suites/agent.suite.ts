import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Role, ROLES } from "../../core/task/role.ts";
import type { TranscriptEvent } from "../../core/task/documents/transcript.ts";
import type { Agent, AgentRun } from "../../ports/agent.ts";

export interface AgentSuite {
  /** Called for each test. */
  readonly create: () => Agent;
  /** Output lines of the program and the expected events. */
  readonly lines: readonly (readonly [line: string, events: readonly TranscriptEvent[]])[];
}

const EVENT_TYPES: readonly TranscriptEvent["type"][] = [
  "text",
  "thinking",
  "tool_call",
  "tool_result",
  "file_change",
  "usage",
  "limit",
  "session",
  "outcome",
  "error",
  "raw",
];

/** Contract tests for every agent adapter. */
export function testAgent(name: string, { create, lines }: AgentSuite): void {
  describe(`agent ${name}`, () => {
    it.each(ROLES)("returns a valid command for %s, and always the same one", (role) => {
      const command = create().command(exampleRun(role));
      expect(command.argv[0]).toMatch(/\S/);
      expect([...command.argv, ...Object.values(command.env)].filter((text) => text.includes("\0"))).toEqual([]);
      expect(create().command(exampleRun(role))).toEqual(command);
    });

    it("reads neither prompt nor secrets, so that neither can appear in its arguments", () => {
      // The prompt file of this run does not exist, so an adapter that opened it would throw.
      const planted = { GITLAB_TOKEN: "planted-1", ANTHROPIC_API_KEY: "planted-2", NIGHTSHIFT_PLANTED: "planted-3" };
      const before = { ...process.env };
      Object.assign(process.env, planted);
      try {
        expect(JSON.stringify(create().command(exampleRun("implement")))).not.toContain("planted-");
      } finally {
        for (const key of Object.keys(planted)) {
          if (before[key] === undefined) delete process.env[key];
          else process.env[key] = before[key];
        }
      }
    });

    it("names the prompt file only if the prompt is not passed through stdin", () => {
      const { argv, prompt } = create().command(exampleRun("implement"));
      expect(argv.some((arg) => arg.includes(PROMPT_FILE))).toBe(prompt === "file");
    });

    it.each(lines)("parses %s", (line, events) => {
      expect(create().parseLine(line)).toEqual(events);
    });

    it("never throws for a line, and returns known events only", () => {
      const agent = create();
      const known = lines.map(([line]) => line);
      const broken = fc.tuple(fc.constantFrom("{}", ...known), fc.nat(400)).map(([line, at]) => line.slice(0, at));
      const typed = fc
        .tuple(fc.constantFrom(...EVENT_TYPES), fc.dictionary(fc.string(), fc.jsonValue()))
        .map(([type, rest]) => JSON.stringify({ ...rest, type }));
      fc.assert(
        fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), broken, typed), (line) => {
          for (const { type } of agent.parseLine(line)) expect(EVENT_TYPES).toContain(type);
        }),
        { numRuns: 1000 },
      );
    });

    it.each([
      "just words",
      '{"type":"no_such_event","x":1}',
      "{",
      "[1,2]",
      "null",
      '{"type":{}}',
      "\u0000\u001b[31m\ufffd",
    ])("keeps the unknown line %j", (line) => {
      const [event, ...rest] = create().parseLine(line);
      expect(rest).toEqual([]);
      expect(event).toEqual({ type: expect.stringMatching(/^(text|raw)$/), text: line });
    });

    it("accepts a line of one megabyte", () => {
      const started = performance.now();
      create().parseLine(`{"type":"text","text":"${"x".repeat(1_000_000)}`);
      create().parseLine("[".repeat(1_000_000));
      create().parseLine(`{"a":${"[".repeat(500_000)}`);
      expect(performance.now() - started).toBeLessThan(2000);
    });
  });
}

const PROMPT_FILE = "/no/such/prompt.md";

export function exampleRun(role: Role, changes: Partial<AgentRun> = {}): AgentRun {
  return {
    model: "some-model",
    maxTurns: 5,
    maxBudgetUsd: 1,
    tools: ["Read", "Edit", "Bash"],
    commands: ["git", "sbt compile"],
    session: { kind: "new", id: "0f0e0d0c-0b0a-4908-8706-050403020100" },
    promptFile: PROMPT_FILE,
    workspace: "/w/run_1",
    mayWrite: role === "implement" || role === "request_changes",
    write: ["/w/report"],
    read: [],
    home: "/h/task_1/role",
    filesDir: "/r/run_1/agent",
    reportServer: { command: "/n/node", args: ["/m/report-outcome.js", "/r/run_1/agent/report.json"], env: {} },
    schema: {
      type: "object",
      properties: { outcome: { type: "string", enum: ["implemented"] } },
      required: ["outcome"],
    },
    gateway: { url: "http://127.0.0.1:3129", key: "nonce-of-the-run" },
    ...changes,
  };
}
