import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../../core/text/errors.ts";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import type { Agent, AgentCapabilities, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { parseOpencodeLine } from "./lines.ts";

const CAPABILITIES: AgentCapabilities = {
  sessions: true,
  mcp: true,
  gateway: "openai",
};

/**
 * `opencode run`. All of its configuration stands in one variable: none of a file of the workspace or of an earlier run.
 * But 1.18.33 has a second reader of configuration, which none of its switches stops: it imports the plugins that
 * `opencode.json` and `.opencode/` of the workspace name, in a role that gives a verdict too. Only a wall that hides those
 * files keeps such code from running.
 */
export function opencode(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "opencode",
    capabilities: CAPABILITIES,
    program: {
      name: "opencode",
      versionArgs: ["--version"],
      oldest: "1.18.0",
      install: "Install it by `npm install -g opencode-ai`.",
    },
    parseLine: parseOpencodeLine,
    command: (run) => commandFor(run, run.model ?? settings.model),
  };
}

function commandFor(run: AgentRun, model: string | null): AgentCommand {
  if (run.gateway !== null && model === null) {
    throw new UserError(
      "invalid",
      "opencode has no model of its own, and none is named.",
      "Name one, such as `agents.opencode.model: gpt-5.1-codex`.",
    );
  }
  const name = run.gateway === null ? model : `nightshift/${model}`;
  return {
    argv: run.session.kind === "new" ? argvFor(name) : resuming(run, argvFor(name)),
    env: { ...SWITCHES, OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(run, model)) },
    prompt: "stdin",
    read: run.session.kind === "resume" ? [process.execPath, MOVER] : [],
    files: {},
    // It loads plugins from there whatever it is told.
    hide: [".opencode", "opencode.json", "opencode.jsonc"],
  };
}

/** The program that takes a session to another folder: as TypeScript in a checkout, as JavaScript in the package. */
const MOVER = fileURLToPath(new URL(`./move.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url));

function argvFor(model: string | null): AgentCommand["argv"] {
  return ["opencode", ...FLAGS, ...(model === null ? [] : ["--model", model])];
}

/** The session is taken along first; the prompt is for opencode alone. */
function resuming({ home, workspace, session }: AgentRun, argv: AgentCommand["argv"]): AgentCommand["argv"] {
  const store = join(home, ".local", "share", "opencode", "opencode.db");
  const script = '"$1" --no-warnings "$2" "$3" "$4" "$5" < /dev/null && shift 5 && exec "$@"';
  const move = [process.execPath, MOVER, store, session.id, workspace];
  return ["sh", "-c", script, "sh", ...move, ...argv, "--session", session.id];
}

const FLAGS = ["run", "--format", "json", "--thinking", "--pure"] as const;

const SWITCHES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    // Neither servers, commands, tools, agents nor AGENTS.md of the workspace.
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

function configOf(run: AgentRun, model: string | null): Readonly<Record<string, unknown>> {
  const { gateway, reportServer } = run;
  return {
    share: "disabled",
    autoupdate: false,
    snapshot: false,
    lsp: false,
    formatter: false,
    permission: permissionsOf(run),
    // It would send the whole prompt once more, only to find a title.
    agent: { title: { disable: true } },
    ...(gateway !== null &&
      model !== null && {
        enabled_providers: ["nightshift"],
        // It would else ask a smaller model, which nobody here has, for a title.
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
    ...(reportServer !== null && {
      mcp: {
        nightshift: {
          type: "local",
          command: [reportServer.command, ...reportServer.args],
          environment: reportServer.env,
          enabled: true,
        },
      },
    }),
  };
}

type Permission = "allow" | "deny";

/** `ask` is never among them: nobody answers, and the run would end with exit 0 in the middle of its work. */
function permissionsOf({ mayWrite, tools }: AgentRun): Readonly<Record<string, unknown>> {
  return {
    "*": "allow",
    edit: mayWrite ? "allow" : "deny",
    bash: shellRules(tools),
    // What lies outside of the workspace is the wall's to refuse; here it would be asked about.
    external_directory: "allow",
    // Its parts are counted nowhere in the output.
    task: "deny",
    webfetch: "deny",
    websearch: "deny",
    question: "deny",
    doom_loop: "deny",
  };
}

/** `Bash` is every command, `Bash(git log:*)` those that begin so. */
function shellRules(tools: readonly string[]): Permission | Readonly<Record<string, Permission>> {
  if (tools.length === 0 || tools.includes("Bash")) return "allow";
  const patterns = tools.flatMap((tool) => /^Bash\((.+)\)$/.exec(tool)?.[1]?.replace(/:\*$/, "*") ?? []);
  return { "*": "deny", ...Object.fromEntries(patterns.map((pattern) => [pattern, "allow" as const])) };
}
