import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Run } from "../../src/core/task/run.ts";
import type { Task } from "../../src/core/task/task.ts";
import type { TranscriptLine } from "../../src/core/task/documents/transcript.ts";
import { checkAgent } from "../../src/daemon/wire/wire-agents.ts";
import { builtInAgents, describeAgents } from "../../src/adapters/agents/create-agent.ts";
import { AGENTS } from "../../src/adapters/agents/index.ts";
import { ALICE, openNight, type Night, type NightOptions } from "../support/night.ts";

const TIMEOUT_MS = 120_000;
let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

interface FinishedTask {
  readonly task: Task;
  readonly run: Run;
  readonly lines: readonly TranscriptLine[];
}

async function runTask(options: NightOptions, isDone: (task: Task) => boolean = hasSettled): Promise<FinishedTask> {
  const opened = await openNight({ timeoutMs: TIMEOUT_MS, ...options });
  night = opened;
  const { id } = await opened.submit();
  const task = await opened.until(id, isDone);
  const [run] = await opened.runs(id);
  if (run === undefined) throw new Error("there was no run");
  return { task, run, lines: await readLines(opened, run) };
}

function hasSettled({ status }: Task): boolean {
  return ["succeeded", "failed", "cancelled", "waiting"].includes(status);
}

async function readLines({ wired }: Night, { id }: Run): Promise<readonly TranscriptLine[]> {
  const lines: TranscriptLine[] = [];
  for (let offset = 0; ;) {
    const page = await wired.ports.runFiles.readTranscript(id, offset, 1_000_000);
    lines.push(...page.lines);
    if (page.next === offset) return lines;
    offset = page.next;
  }
}

/** Installs a program with this name and version first on PATH, in an environment with fake keys. */
function installFakeCli(name: string, version: string, work: string) {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = `#!/bin/sh\necho "$1" >> ${join(folder, "calls")}\nif [ "$1" = --version ]; then echo "${version}"; exit; fi\n${work}\n`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
  const key = ["fake", "api", "key"].join("-");
  return {
    FOLDER: folder,
    PATH: [folder, process.env["PATH"]].join(delimiter),
    HOME: process.env["HOME"],
    ANTHROPIC_API_KEY: key,
    OPENAI_API_KEY: key,
    GEMINI_API_KEY: key,
  };
}

const NO_REPORT = ["invalid_output", /^it ended without reporting an outcome; call the tool report_outcome/] as const;
const FAILED = ["agent_error", /^it exited with code 4 and reported no outcome$/] as const;

const NOISY_OUTPUTS = [
  ["20 MB without a line break", "head -c 20000000 /dev/zero | tr '\\0' x", "exit 0", ...NO_REPORT],
  [
    "20 MB of a JSON string that never ends",
    `printf '{"type":"text","text":"'; head -c 20000000 /dev/zero | tr '\\0' x`,
    "exit 4",
    ...FAILED,
  ],
  ["bytes that are no UTF-8", "printf 'gr\\374\\337e \\377\\376 \\355\\240\\200 \\300\\257\\n'", "exit 4", ...FAILED],
  ["half of a JSON object at its end", `printf '{"type":"usage","tokens":{"input":10,"out'`, "exit 0", ...NO_REPORT],
] as const;

/** The transcript must be valid text in lines of a readable size. */
function expectReadable(lines: readonly TranscriptLine[]): void {
  expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThanOrEqual(1024 * 1024);
  expect(lines.every(({ text }) => text.isWellFormed())).toBe(true);
}

describe.each(NOISY_OUTPUTS)("agent that prints %s", (...one) => {
  const [, print, end, outcome, sentence] = one;
  it("and reports an outcome succeeds", { timeout: TIMEOUT_MS }, async () => {
    const agent = `echo begin; ${print}; echo "hello, all" > greeting.txt; done_with greeted`;
    const { task, run, lines } = await runTask({ agent });
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(run).toMatchObject({ outcome: "implemented", costUsd: null, costBasis: "unknown" });
    expect(lines[0]?.text).toBe("begin");
    expectReadable(lines);
  });

  it(`and reports nothing ends as ${outcome} with a message`, { timeout: TIMEOUT_MS }, async () => {
    const { task, run } = await runTask({ agent: `${print}; ${end}` });
    expect(task).toMatchObject({ status: "failed", outcome });
    expect(run.error).toMatch(sentence);
    expect(task.reason).toContain(run.error);
  });
});

it(
  "noisy output: all output of a CLI with an adapter is kept, and its report counts",
  { timeout: TIMEOUT_MS },
  async () => {
    const usage = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "done", usage: {} });
    const noise = NOISY_OUTPUTS.map(([, print]) => `${print}; echo`).join("\n");
    const env = installFakeCli(
      "claude",
      "2.1.999 (Claude Code)",
      `cat > /dev/null\n${noise}\necho '${usage}'\necho "hello, all" > greeting.txt
printf '{"outcome":"implemented","summary":"greeted"}' > "$NIGHTSHIFT_OUTCOME_FILE"\nprintf '{"type":"assist'`,
    );
    const { task, run, lines } = await runTask({ agentName: "claude-code", env });
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(run).toMatchObject({ outcome: "implemented", agentVersion: "2.1.999" });
    expectReadable(lines);
    expect(lines.at(-1)?.text).toBe('{"type":"assist');
  },
);

describe("agent", () => {
  it("that prints nothing and exits 0 fails as invalid output", { timeout: TIMEOUT_MS }, async () => {
    const { task, run, lines } = await runTask({ agent: "exit 0" });
    expect(task).toMatchObject({ status: "failed", outcome: "invalid_output" });
    expect(run.error).toMatch(/^it ended without reporting an outcome; /);
    expect(lines).toEqual([]);
  });

  it.each([
    ["fails", "exit 5", { status: "failed", outcome: "agent_error" }, /code 5/],
    ["works", 'echo "hello, all" > greeting.txt; done_with greeted', { status: "succeeded" }, null],
  ])("that closes its stdin unread, with a large prompt, and %s", { timeout: TIMEOUT_MS }, async (...one) => {
    const [, then, ended, sentence] = one;
    const opened = await openNight({ agent: `exec < /dev/null; ${then}`, timeoutMs: TIMEOUT_MS });
    night = opened;
    // Larger than a pipe's buffer, so that the writer is still writing when the reader has gone.
    const { id } = await opened.submit({ description: "Greet everybody, at length. ".repeat(20_000) });
    const task = await opened.settled(id);
    const [run] = await opened.runs(id);
    expect(readFileSync(join(opened.home, "runs", run?.id ?? "", "prompt.md"), "utf8").length).toBeGreaterThan(500_000);
    expect(task).toMatchObject(ended);
    if (sentence !== null) expect(run?.error).toMatch(sentence);
  });

  it("that ignores SIGTERM is ended at its time limit", { timeout: TIMEOUT_MS }, async () => {
    const agent = `trap '' TERM INT HUP; echo ready; while :; do sleep 1; done`;
    const { task, run } = await runTask({ agent, settings: "roles:\n  implement: { timeout: 1s }\n" });
    expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
    expect(run).toMatchObject({ endedBy: "timeout", exit: { signal: "SIGKILL" } });
    expect(run.error).toMatch(/^it was still running after \d+ s$/);
  });

  it("that ignores SIGTERM can be cancelled", { timeout: TIMEOUT_MS }, async () => {
    const agent = `trap '' TERM INT HUP; echo ready; while :; do sleep 1; done`;
    const opened = await openNight({ agent, timeoutMs: TIMEOUT_MS });
    night = opened;
    const { id } = await opened.submit();
    await opened.until(id, ({ status }) => status === "running");
    await waitForOutput(opened, id, "ready");
    await opened.commands.cancel(id, ALICE);
    expect(await opened.until(id, hasSettled)).toMatchObject({ status: "cancelled" });
    const [run] = await opened.runs(id);
    expect(run).toMatchObject({ endedBy: "cancel", exit: { signal: "SIGKILL" } });
  });
});

async function waitForOutput(opened: Night, id: string, word: string): Promise<void> {
  for (;;) {
    const [run] = await opened.runs(id);
    if (run !== undefined && (await readLines(opened, run)).some(({ text }) => text === word)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("agent CLI that is too old for its adapter", () => {
  const OLD_VERSIONS = [
    [
      "claude-code",
      "claude",
      "2.1.299 (Claude Code)",
      /^claude is version 2\.1\.299; 2\.1\.300 or newer is required\. Run `npm install -g @anthropic-ai\/claude-code@[\d.]+`/,
    ],
    [
      "claude-code",
      "claude",
      "who knows",
      /^claude does not print its version; 2\.1\.300 or newer is required\. Run `npm install -g @anthropic-ai\/claude-code@[\d.]+`/,
    ],
    [
      "codex",
      "codex",
      "codex-cli 0.9.10",
      /^codex is version 0\.9\.10; [\d.]+ or newer is required\. Run `npm install -g /,
    ],
    ["gemini", "gemini", "0.5.0", /^gemini is version 0\.5\.0; [\d.]+ or newer is required\. Run `npm install -g /],
    [
      "opencode",
      "opencode",
      "1.2.30",
      /^opencode is version 1\.2\.30; [\d.]+ or newer is required\. Run `npm install -g /,
    ],
  ] as const;

  it.each(OLD_VERSIONS)(
    "%s (%s %s): `agents` reports it, and a run waits for a newer version",
    { timeout: TIMEOUT_MS },
    async (...one) => {
      const [kind, program, version, sentence] = one;
      const env = installFakeCli(program, version, "touch worked");
      const described = describeAgents(AGENTS, builtInAgents(AGENTS)).find(({ name }) => name === kind);
      if (described === undefined) throw new Error(`there is no agent ${kind}`);
      const found = await checkAgent(described, env);
      expect(found).toMatchObject({ usable: false, problem: expect.stringMatching(sentence) });
      const { task, run } = await runTask({ agentName: kind, env }, ({ queuedFor }) => queuedFor !== null);
      expect(run).toMatchObject({ outcome: "agent_missing" });
      expect(run.error).toMatch(sentence);
      expect(task).toMatchObject({ status: "queued", queuedFor: { kind: "program" } });
      // It was only called for its version.
      expect(readFileSync(join(env.FOLDER, "calls"), "utf8")).toMatch(/^(?:--version\n)+$/);
    },
  );
});
