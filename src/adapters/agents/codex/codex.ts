import { join } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import { strictSchema } from "../../../core/outcomes/simplify-schema.ts";
import type { Agent, AgentCapabilities, AgentCommand, AgentRun, McpServer } from "../../../ports/agent.ts";
import { parseCodexLine } from "./lines.ts";

const CAPABILITIES: AgentCapabilities = {
  sessions: true,
  mcp: true,
  gateway: "openai",
};

/** The name of the variable from which Codex takes what it sends as its key. */
const KEY_NAME = "NIGHTSHIFT_MODEL_KEY";

/**
 * OpenAI's `codex exec`. All of its configuration stands in its arguments: none of a file that an earlier run could have
 * changed. A role that gives a verdict has no mode of its own here, since `-s read-only` is Codex's sandbox, which cannot
 * be set up inside ours; that one keeps it from writing.
 */
export function codex(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "codex",
    capabilities: CAPABILITIES,
    program: {
      name: "codex",
      versionArgs: ["--version"],
      oldest: "0.160.0",
      install: "Install it by `npm install -g @openai/codex`.",
    },
    parseLine: parseCodexLine,
    command: (run) => commandFor(run, run.model ?? settings.model),
  };
}

const FLAGS = [
  ["exec", "--json", "--color", "never"],
  ["-s", "danger-full-access", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"],
].flat();

function commandFor(run: AgentRun, model: string | null): AgentCommand {
  const schemaFile = join(run.filesDir, "codex-schema.json");
  return {
    argv: [
      "codex",
      ...FLAGS,
      ...(model === null ? [] : ["-m", model]),
      "--output-schema",
      schemaFile,
      ...Object.entries(configOf(run)).flatMap(([key, value]) => ["-c", `${key}=${toml(value)}`]),
      ...(run.session.kind === "resume" ? ["resume", run.session.id] : []),
      "-",
    ],
    env: run.gateway === null ? {} : { [KEY_NAME]: run.gateway.key },
    prompt: "stdin",
    read: [],
    files: { [schemaFile]: `${JSON.stringify(strictSchema(run.schema))}\n` },
  };
}

function configOf({ workspace, gateway, reportServer }: AgentRun): Readonly<Record<string, Toml>> {
  return {
    approval_policy: "never",
    // Without its sandbox it would trust every workspace, and read `.codex/` there.
    projects: { [workspace]: { trust_level: "untrusted" } },
    // Orders of the workspace (AGENTS.md) are no part of the prompt: the same for every agent.
    project_doc_max_bytes: 0,
    check_for_update_on_startup: false,
    web_search: "disabled",
    "analytics.enabled": false,
    "feedback.enabled": false,
    "shell_environment_policy.exclude": ["*KEY*", "*TOKEN*", "*SECRET*"],
    ...Object.fromEntries(SWITCHED_OFF.map((name) => [`features.${name}`, false])),
    ...(gateway !== null && providerOf(gateway.url)),
    ...(reportServer !== null && serverOf(reportServer)),
  };
}

/** Whatever reaches for other places or runs what the workspace holds; bodies that the gateway could not read; retries without end. */
const SWITCHED_OFF = [
  "apps",
  "daemon_auto_start",
  "enable_request_compression",
  "goals",
  "hooks",
  "multi_agent",
  "plugins",
  "remote_plugin",
  "skill_mcp_dependency_install",
  "tool_suggest",
  "unbounded_connection_retries",
] as const;

function providerOf(url: string): Readonly<Record<string, Toml>> {
  const place = "model_providers.nightshift";
  return {
    model_provider: "nightshift",
    [`${place}.name`]: "nightshift",
    [`${place}.base_url`]: `${url}/v1`,
    [`${place}.env_key`]: KEY_NAME,
    [`${place}.wire_api`]: "responses",
    [`${place}.supports_websockets`]: false,
    [`${place}.request_max_retries`]: 3,
    [`${place}.stream_max_retries`]: 3,
  };
}

function serverOf({ command, args, env }: McpServer): Readonly<Record<string, Toml>> {
  const place = "mcp_servers.nightshift";
  return {
    [`${place}.command`]: command,
    [`${place}.args`]: args,
    [`${place}.env`]: env,
    // Without the tool the run could only end without an outcome: better that it does not begin.
    [`${place}.required`]: true,
    [`${place}.default_tools_approval_mode`]: "approve",
  };
}

type Toml = string | number | boolean | readonly string[] | TomlTable;
interface TomlTable {
  readonly [key: string]: Toml;
}

/** JSON's strings, numbers and lists are TOML's too; its tables are not. */
function toml(value: Toml): string {
  if (typeof value !== "object" || isList(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} = ${toml(each)}`);
  return `{${pairs.join(", ")}}`;
}

function isList(value: Toml): value is readonly string[] {
  return Array.isArray(value);
}
