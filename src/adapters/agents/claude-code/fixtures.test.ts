import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { parseClaudeLine } from "./lines.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const SONNET = "claude-sonnet-4-5";

function eventsOf(name: string): readonly TranscriptEvent[] {
  const text = readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8");
  return text.trimEnd().split("\n").flatMap(parseClaudeLine);
}

/** A short description of an event. */
function note(event: TranscriptEvent): string {
  switch (event.type) {
    case "text":
    case "thinking":
      return `${event.type}: ${event.text.slice(0, 30)}`;
    case "tool_call":
      return `call ${event.name}`;
    case "tool_result":
      return `${event.failed ? "failed" : "result"}: ${event.output.slice(0, 30)}`;
    case "file_change":
      return `${event.change} ${event.path}`;
    case "usage": {
      const { input, output, cacheRead, cacheWrite } = event.tokens;
      return `usage ${[input, output, cacheRead, cacheWrite].join("/")} ${event.costUsd} ${event.model} ${event.scope}`;
    }
    case "limit":
      return `limit ${event.kind} ${event.resetsAt}`;
    case "session":
      return `session ${event.id.slice(0, 8)}`;
    case "outcome":
      return `outcome ${JSON.stringify(event.value)}`;
    case "error":
      return `error ${event.failure}: ${event.message.slice(0, 30)}`;
    case "raw":
      return `raw ${/"text":"([^"]{0,20})|"subtype":"(\w+)/.exec(event.text)?.slice(1).join("")}`;
  }
}

const CREATED = "result: File created successfully at: ";
const created = (path: string) => [`${CREATED}${path}`.slice(0, 38), `created ${path}`];
const NO_OUTPUT = "result: (Bash completed with no output";

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "claude-2.1.197-basic": [
    "session 68b9dbd5",
    "call Write",
    ...created("/repo/a.txt"),
    "text: done",
    `usage 2000/100/0/0 0.0075 ${SONNET} session`,
  ],
  "claude-agent-sdk": [
    "session 9667e733",
    "call Write",
    ...created("/repo/a.txt"),
    "call Bash",
    "failed: no rm",
    "call StructuredOutput",
    "result: Structured output provided suc",
    `usage 3000/150/0/0 0.01125 ${SONNET} delta`,
    'outcome {"status":"done"}',
  ],
  "claude-background": [
    "session 7c38cf91",
    "call Bash",
    "result: Command running in background ",
    "text: ended turn",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
    "session 7c38cf91",
    "text: after notification",
    `usage 1000/50/0/0 0.00375 ${SONNET} delta`,
  ],
  "claude-basic": [
    "session 5f517219",
    "thinking: plan",
    "text: I will write the file.",
    "call Write",
    ...created("/repo/hello.txt"),
    "text: Now commit.",
    "call Bash",
    "result: 9838ecc Add hello\n612cfc9 init",
    "text: Done: wrote hello.txt and comm",
    `usage 1700/170/12700/5000 0.03021 ${SONNET} delta`,
  ],
  "claude-error-400-too-long": [
    "session fbfab86a",
    "error null: Prompt is too long · the reque",
    "usage 0/0/0/0 0 null delta",
    "error context_too_long: Prompt is too long · the reque",
  ],
  // Killed during the retries.
  "claude-error-401": ["session 6da1f601", ...Array<string>(7).fill("error login: The model did not answer (401 ")],
  "claude-error-529": [
    "session 9816b96b",
    "error null: The model did not answer (529 ",
    "error null: The model did not answer (529 ",
    "error null: API Error: 529 Overloaded. Thi",
    "usage 0/0/0/0 0 null delta",
    "error overloaded: API Error: 529 Overloaded. Thi",
  ],
  "claude-full-profile": [
    "session f3afd3c5",
    "call Write",
    ...created("/repo/a.txt"),
    "call Bash",
    "result: 2\n0\nc117676 c",
    "call Write",
    "failed: PreToolUse:Write hook error: n",
    "call mcp__nightshift__report_outcome",
    "result: Outcome recorded: done",
    "text: fin",
    "usage 5000/250/0/0 0.0125 claude-sonnet-5-5 delta",
  ],
  "claude-hook-deny": [
    "session c7a44e56",
    "call Write",
    "failed: PreToolUse:Write hook error: n",
    "call Write",
    ...created("/repo/in.txt"),
    "text: done",
    `usage 3000/150/0/0 0.01125 ${SONNET} delta`,
  ],
  "claude-interrupt": [
    "session 6de9e727",
    "call Bash",
    "failed: The user doesn't want to proce",
    "raw [Request interrupted",
    `usage 1000/50/0/0 0.00375 ${SONNET} delta`,
    "error null: The agent ended with error_dur",
  ],
  // Claude reports success; only the outcome is missing.
  "claude-json-schema-never": [
    "session 49e77cc7",
    "text: I refuse to call it",
    "raw [structured-output-e",
    "text: I refuse to call it",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
  ],
  "claude-json-schema-retry": [
    "session a049c2b6",
    "call StructuredOutput",
    "failed: Output does not match required",
    "call StructuredOutput",
    "result: Structured output provided suc",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
    'outcome {"status":"done","summary":"s2"}',
  ],
  "claude-json-schema": [
    "session 45ed277e",
    "call Write",
    ...created("/repo/a.txt"),
    "call StructuredOutput",
    "result: Structured output provided suc",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
    'outcome {"status":"done","summary":"wrote a.txt"}',
  ],
  "claude-max-budget": [
    "session a90c7d59",
    "call Bash",
    NO_OUTPUT,
    "call Bash",
    `usage 200000/2000/0/0 0.6300000000000001 ${SONNET} delta`,
    "error budget: Reached maximum budget ($0.5)",
  ],
  "claude-max-turns": [
    "session 0b09ea24",
    "call Bash",
    NO_OUTPUT,
    "call Bash",
    NO_OUTPUT,
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
    "error max_turns: Reached maximum number of turn",
  ],
  "claude-mcp-report-outcome": [
    "session c46cc48d",
    "call Write",
    ...created("/repo/a.txt"),
    "call mcp__nightshift__report_outcome",
    "result: Outcome recorded: done",
    "text: Reported.",
    `usage 3000/150/0/0 0.01125 ${SONNET} delta`,
  ],
  "claude-partial-messages": [
    "session f4e75677",
    "thinking: hmm",
    "text: Hello world this is streaming",
    "call Read",
    "result: 1\t# demo\n2\t",
    "text: bye",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
  ],
  "claude-permission-denied": [
    "session fdc0b2c0",
    "call Bash",
    "failed: touch in '/repo/made.txt' need",
    "text: ok",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
  ],
  "claude-permission-prompt-tool": [
    "session 01392dd4",
    "call Bash",
    "failed: nightshift policy: no rm",
    "call Bash",
    NO_OUTPUT,
    "text: ok",
    `usage 3000/150/0/0 0.01125 ${SONNET} delta`,
  ],
  "claude-refusal": [
    "session 67434eb8",
    "text: no",
    "raw informational",
    "raw Your response above ",
    "text: no",
    "raw model_refusal_no_fallback",
    "error null: API Error: Sonnet 4.5 can't he",
    `usage 2000/100/0/0 0.0075 ${SONNET} delta`,
    "error refused: API Error: Sonnet 4.5 can't he",
  ],
  // Not the 3000 and 0.01125 of the session.
  "claude-resume": ["session 2e7cae28", "text: second done", `usage 1000/50/0/0 0.00375 ${SONNET} delta`],
  "claude-retry-429": [
    "session 55fe0051",
    "limit rate null",
    "text: ok after",
    `usage 1000/50/0/0 0.00375 ${SONNET} delta`,
  ],
  "claude-stdio-control": [
    "session dd2267e4",
    "raw first",
    "call Bash",
    NO_OUTPUT,
    "call Bash",
    "failed: nightshift: rm denied",
    "text: turn one done",
    `usage 3000/150/0/0 0.01125 ${SONNET} delta`,
    "session dd2267e4",
    "raw second",
    "text: turn two done",
    `usage 1000/50/0/0 0.00375 ${SONNET} delta`,
  ],
  "claude-stream-drop": [
    "session 4face8a1",
    "error null: The model did not answer (unkn",
    "text: recovered",
    `usage 1000/50/0/0 0.00375 ${SONNET} delta`,
  ],
  // With the subagent's tokens, which `usage` leaves out.
  "claude-subagent": [
    "session dd87b4fd",
    "text: Delegating",
    "call Agent",
    "raw SUBTASK_PROMPT look ",
    "call Read",
    "result: 1\t# demo\n2\t",
    "text: sub result",
    "result:   <tools-used-before-summary>R",
    "text: main end",
    `usage 4000/200/0/0 0.015 ${SONNET} delta`,
  ],
  "claude-usage-limit": [
    "session cdbded4e",
    "limit usage 1794783565000",
    "error null: You've hit your 5-hour limit ·",
    "usage 0/0/0/0 0 null delta",
    "error usage_limit: You've hit your 5-hour limit ·",
  ],
  "qwen-basic": [
    "session 0ed73a87",
    "text: Writing.",
    "call write_file",
    "result: Successfully created and wrote",
    "call run_shell_command",
    "result: 1a8bb44 (HEAD -> main) Add\nb46",
    "text: Done.",
    "usage 3000/150/0/0 null null session",
  ],
};

describe("real transcripts", () => {
  test.each(Object.entries(EXPECTED))("%s", (name, expected) => {
    expect(eventsOf(name).map(note)).toEqual(expected);
  });

  test("every fixture has an expectation", () => {
    const names = readdirSync(FIXTURES).filter((name) => /^(claude|qwen)-/.test(name));
    expect(names.map((name) => name.replace(".jsonl", "")).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });
});
