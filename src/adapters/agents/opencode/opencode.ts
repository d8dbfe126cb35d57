import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../../core/text/errors.ts";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCommand, AgentRun, McpServer } from "../../../ports/agent.ts";
import { parseOpencodeLine } from "./lines.ts";
import { describeProgram, type AgentPackage } from "../shared/agent-package.ts";

export const OPENCODE_PACKAGE: AgentPackage = {
  program: "opencode",
  package: "opencode-ai",
  tested: "1.18.33",
  oldest: "1.18.0",
};

/**
 * `opencode run`. Its whole configuration is in one environment variable, not in files of the workspace or of an earlier run.
 * But 1.18.33 imports the plugins of `opencode.json` and `.opencode/` in the workspace, and no option disables that. Only a
 * sandbox that hides these files keeps such code from running.
 */
export function opencode(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "opencode",
    capabilities: { sessions: true, mcp: true, gateway: "openai" },
    program: describeProgram(OPENCODE_PACKAGE),
    parseLine: parseOpencodeLine,
    command: (run) => commandFor(run, run.model ?? settings.model),
  };
}

function commandFor(run: AgentRun, model: string | null): AgentCommand {
  if (run.gateway !== null && model === null) {
    throw new UserError(
      "invalid",
      "The agent opencode needs a model.",
      "Set one, such as `agents.opencode.model: gpt-5.1-codex`.",
    );
  }
  const name = run.gateway === null ? model : `nightshift/${model}`;
  return {
    argv: run.session.kind === "new" ? argvFor(name) : resumeArgv(run, argvFor(name)),
    env: { ...DISABLED, OPENCODE_CONFIG_CONTENT: JSON.stringify(createConfig(run, model)) },
    prompt: "stdin",
    read: run.session.kind === "resume" ? [process.execPath, MOVE_PROGRAM] : [],
    files: {},
    // opencode always loads plugins from these files.
    hide: [".opencode", "opencode.json", "opencode.jsonc"],
  };
}

/** The program that moves a session to another folder: TypeScript in a checkout, JavaScript in the package. */
const MOVE_PROGRAM = fileURLToPath(
  new URL(`./move-session.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
);

function argvFor(model: string | null): AgentCommand["argv"] {
  return ["opencode", ...FLAGS, ...(model === null ? [] : ["--model", model])];
}

/** Moves the session to the workspace first. Only opencode reads the prompt on stdin. */
function resumeArgv({ home, workspace, session }: AgentRun, argv: AgentCommand["argv"]): AgentCommand["argv"] {
  const store = join(home, ".local", "share", "opencode", "opencode.db");
  const script = '"$1" --no-warnings "$2" "$3" "$4" "$5" < /dev/null && shift 5 && exec "$@"';
  const move = [process.execPath, MOVE_PROGRAM, store, session.id, workspace];
  return ["sh", "-c", script, "sh", ...move, ...argv, "--session", session.id];
}

const FLAGS = ["run", "--format", "json", "--thinking", "--pure"] as const;

const DISABLED: Readonly<Record<string, string>> = Object.fromEntries(
  [
    // Ignores servers, commands, tools, agents and AGENTS.md of the workspace.
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_PURE",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_SHARE",
  ].map((name) => [name, "true"]),
);

function createConfig(run: AgentRun, model: string | null): Readonly<Record<string, unknown>> {
  const { gateway, reportServer, mcpServers = [] } = run;
  return {
    share: "disabled",
    autoupdate: false,
    snapshot: false,
    lsp: false,
    formatter: false,
    permission: createPermissions(run),
    // Otherwise it sends the whole prompt again to generate a title.
    agent: { title: { disable: true } },
    ...(gateway !== null &&
      model !== null && {
        enabled_providers: ["nightshift"],
        // Otherwise it requests a small model that the gateway may not offer.
        small_model: `nightshift/${model}`,
        provider: {
          nightshift: {
            npm: "@ai-sdk/openai-compatible",
            name: "nightshift",
            options: { baseURL: `${gateway.url}/v1`, apiKey: gateway.key },
            models: { [model]: { name: model } },
          },
        },
      }),
    mcp: {
      ...(reportServer !== null && { nightshift: serverConfig(reportServer) }),
      // The default is five seconds.
      ...Object.fromEntries(mcpServers.map(({ name, server }) => [name, { ...serverConfig(server), timeout: 60_000 }])),
    },
  };
}

function serverConfig({ command, args, env }: McpServer): Readonly<Record<string, unknown>> {
  return { type: "local", command: [command, ...args], environment: env, enabled: true };
}

type Permission = "allow" | "deny";

/** Never uses `ask`: without an answer the run would end early with exit code 0. */
function createPermissions({ mayWrite, tools }: AgentRun): Readonly<Record<string, unknown>> {
  return {
    "*": "allow",
    edit: mayWrite ? "allow" : "deny",
    bash: shellRules(tools),
    // The sandbox protects files outside the workspace. The default here is `ask`.
    external_directory: "allow",
    // The output does not include the usage of subagents.
    task: "deny",
    webfetch: "deny",
    websearch: "deny",
    question: "deny",
    doom_loop: "deny",
  };
}

/** `Bash` allows every command, `Bash(git log:*)` those with this prefix. */
function shellRules(tools: readonly string[]): Permission | Readonly<Record<string, Permission>> {
  if (tools.length === 0 || tools.includes("Bash")) return "allow";
  const patterns = tools.flatMap((tool) => /^Bash\((.+)\)$/.exec(tool)?.[1]?.replace(/:\*$/, "*") ?? []);
  return { "*": "deny", ...Object.fromEntries(patterns.map((pattern) => [pattern, "allow" as const])) };
}
