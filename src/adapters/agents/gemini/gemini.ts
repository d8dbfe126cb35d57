import { join } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import { MCP_CALL_MS } from "../../../core/settings/mcp.ts";
import type { Agent, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { parseGeminiLine } from "./lines.ts";
import { describeProgram, type AgentPackage } from "../shared/agent-package.ts";

export const GEMINI_PACKAGE: AgentPackage = {
  program: "gemini",
  package: "@google/gemini-cli",
  tested: "0.61.0",
  oldest: "0.60.0",
};

/**
 * Google's `gemini`. It only starts MCP servers in a trusted workspace. `--skip-trust` takes effect after it has read its
 * settings, so it still ignores those of the workspace; the equivalent environment variable would take effect before. Our
 * settings disable what it reads later, such as hooks.
 */
export function gemini(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "gemini",
    capabilities: { sessions: true, mcp: true, gateway: "gemini" },
    program: describeProgram(GEMINI_PACKAGE),
    parseLine: parseGeminiLine,
    command: (run) => commandFor(run, run.model ?? settings.model),
  };
}

const FLAGS = [
  ["-o", "stream-json", "--skip-trust", "--approval-mode", "yolo"],
  ["--extensions", "none"],
].flat();

function commandFor(run: AgentRun, model: string | null): AgentCommand {
  const { gateway, session } = run;
  return {
    argv: [
      "gemini",
      ...FLAGS,
      ...serverNames(run).flatMap((name) => ["--allowed-mcp-server-names", name]),
      ...(model === null ? [] : ["--model", model]),
      ...(session.kind === "resume" ? ["--resume", session.id] : ["--session-id", session.id]),
    ],
    env: {
      ...(gateway !== null && { GOOGLE_GEMINI_BASE_URL: gateway.url, GEMINI_API_KEY: gateway.key }),
      // Otherwise it restarts itself, which doubles its memory and makes the new process trust the workspace from the start.
      GEMINI_CLI_NO_RELAUNCH: "true",
      NO_COLOR: "1",
    },
    prompt: "stdin",
    read: [],
    files: geminiFiles(run),
  };
}

/** The files in its home. */
export function geminiFiles(run: AgentRun): AgentCommand["files"] {
  return {
    [join(run.home, ".gemini", "settings.json")]: `${JSON.stringify(createSettings(run), null, 2)}\n`,
    ...projectRegistry(run),
  };
}

/**
 * Gemini stores sessions per folder, but every run of a task has its own workspace. This maps all of them to one name, so that
 * a run finds the sessions of earlier runs.
 */
function projectRegistry({ home, workspace }: AgentRun): AgentCommand["files"] {
  const geminiPath = (...names: readonly string[]): string => join(home, ".gemini", ...names);
  return {
    [geminiPath("projects.json")]: `${JSON.stringify({ projects: { [workspace]: "workspace" } })}\n`,
    [geminiPath("tmp", "workspace", ".project_root")]: workspace,
    [geminiPath("history", "workspace", ".project_root")]: workspace,
  };
}

function createSettings(run: AgentRun): Readonly<Record<string, unknown>> {
  const { reportServer, mcpServers = [], maxTurns, gateway } = run;
  return {
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      // About fifteen seconds. The default of 10 means four minutes without output. The engine handles longer waits.
      maxAttempts: 3,
    },
    // `useExternal` skips the check of the key, which would read `.gemini/.env` of the workspace.
    ...(gateway !== null && { security: { auth: { selectedType: "gemini-api-key", useExternal: true } } }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    experimental: { enableAgents: false },
    advanced: { ignoreLocalEnv: true },
    ...(maxTurns !== null && { model: { maxSessionTurns: maxTurns } }),
    tools: { exclude: excludedTools(run) },
    mcp: { allowed: serverNames(run) },
    mcpServers: {
      ...(reportServer !== null && { nightshift: { ...reportServer, trust: true } }),
      ...Object.fromEntries(
        mcpServers.map(({ name, server, tools }) => [
          name,
          { ...server, includeTools: tools, timeout: MCP_CALL_MS, trust: true },
        ]),
      ),
    },
  };
}

function serverNames({ mcpServers = [] }: AgentRun): readonly string[] {
  return ["nightshift", ...mcpServers.map(({ name }) => name)];
}

/** Gemini's read-only mode (`plan`) is not used: it changes the prompt and has no shell. */
function excludedTools({ mayWrite, tools }: AgentRun): readonly string[] {
  const hasShell = tools.length === 0 || tools.some((tool) => /^Bash\b/.test(tool));
  return [
    "google_web_search",
    "web_fetch",
    "save_memory",
    ...(mayWrite ? [] : ["write_file", "replace"]),
    ...(hasShell ? [] : ["run_shell_command"]),
  ];
}
