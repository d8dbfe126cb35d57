import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ensureAgent } from "../../scripts/ensure-agents.ts";
import { CLAUDE_PACKAGE } from "../../src/adapters/agents/claude-code/claude-code.ts";
import type { SandboxMode } from "../../src/core/settings/settings.ts";
import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import { openFakeAnthropic, toolResults } from "../../src/testing/models/fake-anthropic.ts";
import type { FakeAnthropic, ToolResult, Turn } from "../../src/testing/models/fake-anthropic.ts";
import type { Reply } from "../../src/testing/models/fake-turn.ts";
import { testPolicy } from "../../src/testing/policy.ts";
import { realSupervisors } from "../../src/testing/real-supervisors.ts";
import { openJobBench, printed } from "../../src/testing/suites/supervisor/supervisor.suite.ts";

/** A workspace with a scripted model, in which the real CLI runs. */
export interface ClaudeRunner {
  readonly workspace: string;
  /** A directory the run has no access to. */
  readonly outside: string;
  run(turns: readonly Turn[], options?: ClaudeRunOptions): Promise<ClaudeRun>;
}

export interface ClaudeRunOptions {
  readonly sandbox?: Extract<SandboxMode, "enforce" | "none">;
  /** For `--settings`. */
  readonly settings?: object;
  readonly flags?: readonly string[];
  readonly policy?: Partial<SandboxPolicy>;
  /** A role that gives a verdict: it may neither write the workspace nor run anything in it. */
  readonly isReader?: boolean;
  readonly read?: readonly string[];
}

export interface ClaudeRun {
  readonly code: number | null | undefined;
  readonly durationMs: number;
  readonly lines: readonly string[];
  readonly stderr: readonly string[];
  readonly events: readonly ClaudeEvent[];
  /** The result of each tool as the model received it, in the order of the turns. */
  readonly results: readonly ToolResult[];
  readonly requests: FakeAnthropic["requests"];
}

/** The part of claude's stream-json that the tests use. */
export interface ClaudeEvent {
  readonly type: string;
  readonly subtype?: string;
  readonly is_error?: boolean;
  readonly num_turns?: number;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
  readonly permission_denials?: readonly { readonly tool_name: string }[];
  readonly tools?: readonly string[];
  readonly mcp_servers?: readonly unknown[];
}

const FLAGS: readonly string[] = [
  ["-p", "--output-format", "stream-json", "--verbose"],
  ["--setting-sources", "", "--strict-mcp-config"],
  ["--permission-mode", "bypassPermissions"],
  ["--tools", "Bash,Read,Edit,Write,Glob,Grep"],
].flat();

/** The port of the relay for the model gateway. */
const GATEWAY_URL = "http://127.0.0.1:3129";

/** Not a real key. The client only has to send something. */
const DUMMY_KEY = "nightshift-nonce";

export function createClaudeRunner(): ClaudeRunner {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-claude-")));
  const dirs = { workspace: join(folder, "workspace"), outside: join(folder, "outside") };
  for (const path of Object.values(dirs)) mkdirSync(path);
  const jobs = openJobBench(realSupervisors);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;

  return {
    ...dirs,
    async run(turns, order = {}) {
      const runDir = join(folder, `run-${count++}`);
      const own = ["home", "tmp"].map((name) => join(runDir, name));
      for (const path of own) mkdirSync(path, { recursive: true });
      const files = { prompt: join(runDir, "prompt.md"), settings: join(runDir, "settings.json") };
      writeFileSync(files.prompt, "Do what there is to do.\n");
      writeFileSync(files.settings, JSON.stringify(order.settings ?? {}));
      const { isReader = false } = order;
      const sandbox = order.sandbox ?? "enforce";
      const socket = join(runDir, "model.sock");
      const fake = await openFakeAnthropic({ turns, ...(sandbox === "enforce" && { socket }) });
      const policy = testPolicy(dirs.workspace, {
        own: { write: [...(isReader ? [] : [dirs.workspace]), ...own], read: [files.settings, ...(order.read ?? [])] },
        executes: !isReader,
        env: environment(own, fake.url),
        gateway: sandbox === "enforce" ? socket : null,
        ...order.policy,
      });
      const argv = [
        ensureAgent(CLAUDE_PACKAGE),
        ...FLAGS,
        "--settings",
        files.settings,
        ...(order.flags ?? []),
      ] as const;
      const command = { argv, policy, stdinFile: files.prompt, timeoutMs: 60_000 };
      const job = jobs.job([command], { sandbox });
      try {
        const record = await jobs.run(job);
        const [result] = record.commands;
        if (record.error !== null) throw new Error(record.error.message);
        const lines = printed(job);
        return {
          code: result?.exit.code,
          durationMs: result?.durationMs ?? 0,
          lines,
          stderr: printed(job, "stderr"),
          events: lines.map((line) => JSON.parse(line) as ClaudeEvent), // every line must be JSON
          results: fake.requests.filter(({ turn }) => turn !== null && turn > 0).flatMap(toolResults),
          requests: fake.requests,
        };
      } finally {
        await fake.close();
      }
    },
  };
}

function environment([home = "", tmp = ""]: readonly string[], url: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: tmp,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    ANTHROPIC_BASE_URL: url === "" ? GATEWAY_URL : url,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_MAX_RETRIES: "2",
    // Without a sandbox, claude as root refuses `bypassPermissions`.
    ...(url !== "" && { IS_SANDBOX: "1" }),
  };
}

/** A turn that uses one tool. */
export function use(name: string, input: Readonly<Record<string, unknown>>): Reply {
  return { tools: [{ name, input }] };
}
