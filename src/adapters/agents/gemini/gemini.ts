import { join } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCapabilities, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { parseGeminiLine } from "./lines.ts";

const CAPABILITIES: AgentCapabilities = {
  sessions: true,
  mcp: true,
  gateway: "gemini",
};

/**
 * Google's `gemini`. It starts MCP servers only in a workspace it trusts, so it has to trust ours. `--skip-trust` says so
 * after it has read its settings, by when those of the workspace were left out; the variable that says the same would come
 * before, and is never set. What it reads later, hooks for one, our settings switch off.
 */
export function gemini(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "gemini",
    capabilities: CAPABILITIES,
    program: {
      name: "gemini",
      versionArgs: ["--version"],
      oldest: "0.60.0",
      install: "Install it by `npm install -g @google/gemini-cli`.",
    },
    parseLine: parseGeminiLine,
    command: (run) => commandFor(run, run.model ?? settings.model),
  };
}

const FLAGS = [
  ["-o", "stream-json", "--skip-trust", "--approval-mode", "yolo"],
  ["--extensions", "none", "--allowed-mcp-server-names", "nightshift"],
].flat();

function commandFor(run: AgentRun, model: string | null): AgentCommand {
  const { gateway, session } = run;
  return {
    argv: [
      "gemini",
      ...FLAGS,
      ...(model === null ? [] : ["--model", model]),
      ...(session.kind === "resume" ? ["--resume", session.id] : ["--session-id", session.id]),
    ],
    env: {
      ...(gateway !== null && { GOOGLE_GEMINI_BASE_URL: gateway.url, GEMINI_API_KEY: gateway.key }),
      // Otherwise it starts itself once more, which doubles its memory, and passes on that it trusts the workspace.
      GEMINI_CLI_NO_RELAUNCH: "true",
      NO_COLOR: "1",
    },
    prompt: "stdin",
    read: [],
    files: geminiFiles(run),
  };
}

/** What it finds in its home. */
export function geminiFiles(run: AgentRun): AgentCommand["files"] {
  return {
    [join(run.home, ".gemini", "settings.json")]: `${JSON.stringify(settingsOf(run), null, 2)}\n`,
    ...registryOf(run),
  };
}

/**
 * It keeps sessions by the folder it works in, and finds none of them in another. Every run of a task has a folder of its
 * own; here all of them go by one name.
 */
function registryOf({ home, workspace }: AgentRun): AgentCommand["files"] {
  const place = (...names: readonly string[]): string => join(home, ".gemini", ...names);
  return {
    [place("projects.json")]: `${JSON.stringify({ projects: { [workspace]: "workspace" } })}\n`,
    [place("tmp", "workspace", ".project_root")]: workspace,
    [place("history", "workspace", ".project_root")]: workspace,
  };
}

function settingsOf(run: AgentRun): Readonly<Record<string, unknown>> {
  const { reportServer, maxTurns, gateway } = run;
  return {
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      // About fifteen seconds. Ten, its own number, are four minutes of silence; waiting for longer is the engine's.
      maxAttempts: 3,
    },
    // `useExternal`: a check of the key would read `.gemini/.env` of the workspace, now that it is trusted.
    ...(gateway !== null && { security: { auth: { selectedType: "gemini-api-key", useExternal: true } } }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    experimental: { enableAgents: false },
    advanced: { ignoreLocalEnv: true },
    ...(maxTurns !== null && { model: { maxSessionTurns: maxTurns } }),
    tools: { exclude: excludedTools(run) },
    mcp: { allowed: ["nightshift"] },
    mcpServers: reportServer === null ? {} : { nightshift: { ...reportServer, trust: true } },
  };
}

/** Its own read-only mode (`plan`) has another task in its prompt, and no shell to look with. */
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
