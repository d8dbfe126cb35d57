import { join } from "node:path";
import type { AgentSettings } from "../../../core/settings/settings.ts";
import { strictSchema } from "../../../core/outcomes/simplify-schema.ts";
import { MCP_CALL_MS } from "../../../core/settings/mcp.ts";
import type { Agent, AgentCommand, AgentMcpServer, AgentRun, McpServer } from "../../../ports/agent.ts";
import { parseCodexLine } from "./lines.ts";
import { describeProgram, type AgentPackage } from "../shared/agent-package.ts";

/** The environment variable from which Codex reads its API key. */
const KEY_NAME = "NIGHTSHIFT_MODEL_KEY";

export const CODEX_PACKAGE: AgentPackage = {
  program: "codex",
  package: "@openai/codex",
  tested: "0.166.0",
  oldest: "0.160.0",
};

/**
 * OpenAI's `codex exec`. Its whole configuration is in its arguments, because an earlier run could have changed a file.
 * Read-only roles do not use `-s read-only`: Codex's sandbox does not work inside ours, which already prevents writing.
 */
export function codex(settings: Pick<AgentSettings, "model">): Agent {
  return {
    kind: "codex",
    capabilities: { sessions: true, mcp: true, gateway: "openai" },
    program: describeProgram(CODEX_PACKAGE),
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
      ...Object.entries(createConfig(run)).flatMap(([key, value]) => ["-c", `${key}=${formatToml(value)}`]),
      ...(run.session.kind === "resume" ? ["resume", run.session.id] : []),
      "-",
    ],
    env: run.gateway === null ? {} : { [KEY_NAME]: run.gateway.key },
    prompt: "stdin",
    read: [],
    files: { [schemaFile]: `${JSON.stringify(strictSchema(run.schema))}\n` },
  };
}

function createConfig({ workspace, gateway, reportServer, mcpServers = [] }: AgentRun): Readonly<Record<string, Toml>> {
  return {
    approval_policy: "never",
    // Without its own sandbox Codex would trust every workspace and read `.codex/` there.
    projects: { [workspace]: { trust_level: "untrusted" } },
    // As for every agent, instructions of the workspace (AGENTS.md) are not part of the prompt.
    project_doc_max_bytes: 0,
    check_for_update_on_startup: false,
    web_search: "disabled",
    "analytics.enabled": false,
    "feedback.enabled": false,
    "shell_environment_policy.exclude": ["*KEY*", "*TOKEN*", "*SECRET*"],
    ...Object.fromEntries(DISABLED_FEATURES.map((name) => [`features.${name}`, false])),
    ...(gateway !== null && providerConfig(gateway.url)),
    ...(reportServer !== null && mcpServerConfig("nightshift", reportServer)),
    ...Object.assign({}, ...mcpServers.map(plannedServerConfig)),
  };
}

/** Features that contact other servers, run code of the workspace, compress requests for the gateway, or retry forever. */
const DISABLED_FEATURES = [
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

function providerConfig(url: string): Readonly<Record<string, Toml>> {
  const prefix = "model_providers.nightshift";
  return {
    model_provider: "nightshift",
    [`${prefix}.name`]: "nightshift",
    [`${prefix}.base_url`]: `${url}/v1`,
    [`${prefix}.env_key`]: KEY_NAME,
    [`${prefix}.wire_api`]: "responses",
    [`${prefix}.supports_websockets`]: false,
    [`${prefix}.request_max_retries`]: 3,
    [`${prefix}.stream_max_retries`]: 3,
  };
}

function mcpServerConfig(name: string, { command, args, env }: McpServer): Readonly<Record<string, Toml>> {
  const prefix = `mcp_servers.${name}`;
  return {
    [`${prefix}.command`]: command,
    [`${prefix}.args`]: args,
    [`${prefix}.env`]: env,
    // Without the report tool the run could not report an outcome, and without a planned server not do its work. So it fails at
    // the start.
    [`${prefix}.required`]: true,
    [`${prefix}.default_tools_approval_mode`]: "approve",
  };
}

function plannedServerConfig({ name, server, tools }: AgentMcpServer): Readonly<Record<string, Toml>> {
  const prefix = `mcp_servers.${name}`;
  return {
    ...mcpServerConfig(name, server),
    [`${prefix}.enabled_tools`]: tools,
    // Codex passes on only a few variables. Without these, a server cannot reach the hosts of the plan.
    [`${prefix}.env_vars`]: ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_USE_ENV_PROXY"],
    // The defaults are 10 seconds and one minute.
    [`${prefix}.startup_timeout_sec`]: 60,
    [`${prefix}.tool_timeout_sec`]: MCP_CALL_MS / 1_000,
  };
}

type Toml = string | number | boolean | readonly string[] | TomlTable;
interface TomlTable {
  readonly [key: string]: Toml;
}

/** JSON strings, numbers and lists are valid TOML. Only tables differ. */
function formatToml(value: Toml): string {
  if (typeof value !== "object" || isList(value)) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} = ${formatToml(each)}`);
  return `{${pairs.join(", ")}}`;
}

function isList(value: Toml): value is readonly string[] {
  return Array.isArray(value);
}
