import { join } from "node:path";
import { mcpToolName } from "../../../core/settings/mcp.ts";
import type { Agent, AgentCommand, AgentRun, McpServer } from "../../../ports/agent.ts";
import { guardFile, guardSettings } from "./guard.ts";
import { parseClaudeLine } from "./lines.ts";
import { CLAUDE_TOOLS, readTools } from "./tools.ts";
import { describeProgram, type AgentPackage } from "../shared/agent-package.ts";

export const CLAUDE_PACKAGE: AgentPackage = {
  program: "claude",
  package: "@anthropic-ai/claude-code",
  tested: "2.1.325",
  // Older versions ignore a failing hook, and thus a failing guard.
  oldest: "2.1.300",
};

/** Claude Code in non-interactive mode: the prompt on stdin, events as lines of JSON on stdout. */
export function claudeCode(): Agent {
  return {
    kind: "claude-code",
    capabilities: { sessions: true, mcp: true, gateway: "anthropic" },
    program: describeProgram(CLAUDE_PACKAGE),
    tools: CLAUDE_TOOLS,
    parseLine: parseClaudeLine,
    command,
  };
}

const SERVER = "nightshift";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];

function command(run: AgentRun): AgentCommand {
  const settingsFile = join(run.filesDir, "settings.json");
  const mcpFile = join(run.filesDir, "mcp.json");
  const systemFile = join(run.filesDir, "system-prompt.md");
  const system = run.systemPrompt ?? "";
  const { names, allowed, shell } = readTools(run.tools, run.mayWrite);
  const guard = guardSettings({
    node: process.execPath,
    guardFile: guardFile(),
    workspace: run.workspace,
    write: run.write,
    // Claude saves long outputs in its home and tells the model to read them there.
    read: [...run.read, run.home],
    commands: run.commands,
    shell,
  });
  const report = run.reportServer;
  const servers = listServers(run);
  const planned = (run.mcpServers ?? []).flatMap(({ name, tools }) => tools.map((tool) => mcpToolName(name, tool)));
  return {
    argv: [
      "claude",
      ...STREAM,
      // Ignore settings, hooks, MCP servers and instructions of the workspace: they are untrusted.
      "--setting-sources",
      "",
      "--settings",
      settingsFile,
      "--strict-mcp-config",
      ...(servers.length === 0 ? [] : ["--mcp-config", mcpFile]),
      // Deny tools that are not listed, without asking. This is policy; the sandbox enforces isolation.
      "--permission-mode",
      "dontAsk",
      "--tools",
      names.join(","),
      ...listOption("--allowedTools", [
        ...allowed,
        ...planned,
        ...(report === null ? [] : [mcpToolName(SERVER, "report_outcome")]),
      ]),
      run.session.kind === "new" ? "--session-id" : "--resume",
      run.session.id,
      ...option("--model", run.model),
      ...option("--max-turns", run.maxTurns),
      ...option("--max-budget-usd", run.maxBudgetUsd),
      ...(system === "" ? [] : ["--append-system-prompt-file", systemFile]),
      ...(report === null ? structuredOutput(run.schema) : []),
    ],
    env: { ...ENVIRONMENT, CLAUDE_CONFIG_DIR: join(run.home, ".claude"), ...gatewayEnv(run) },
    prompt: "stdin",
    read: [process.execPath, guardFile()],
    files: {
      [settingsFile]: JSON.stringify(guard),
      ...(servers.length > 0 && { [mcpFile]: mcpConfig(servers) }),
      ...(system !== "" && { [systemFile]: system }),
    },
  };
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // Memory is stored by path, so it could leak into a run of another task with the same path.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  // A command that outlives the turn causes a second result line.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // About eight seconds. By default it retries an invalid key for more than a minute. The engine handles longer waits.
  CLAUDE_CODE_MAX_RETRIES: "4",
  // Otherwise it uses zsh if there is one. If this path does not exist, it uses SHELL, which the sandbox sets.
  CLAUDE_CODE_SHELL: "/bin/bash",
  // Longer than our bridge waits for a server, so that its error message is in the output.
  MCP_TIMEOUT: "60000",
  // Otherwise the model would have to search for the tool that reports the outcome.
  ENABLE_TOOL_SEARCH: "false",
};

/** Without a gateway claude uses the configured environment variables, such as CLAUDE_CODE_OAUTH_TOKEN. */
function gatewayEnv({ gateway }: AgentRun): Readonly<Record<string, string>> {
  if (gateway === null) return {};
  // With an API key, claude reports an exhausted subscription as a rate limit, without the reset time.
  const name = gateway.keyKind === "token" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY";
  return { ANTHROPIC_BASE_URL: gateway.url, [name]: gateway.key };
}

type NamedServer = readonly [name: string, server: McpServer];

function listServers({ reportServer, mcpServers = [] }: AgentRun): readonly NamedServer[] {
  return [
    ...(reportServer === null ? [] : [[SERVER, reportServer] as const]),
    ...mcpServers.map(({ name, server }) => [name, server] as const),
  ];
}

function mcpConfig(servers: readonly NamedServer[]): string {
  const config = servers.map(([name, { command: program, args, env }]) => [
    name,
    { type: "stdio", command: program, args, env, alwaysLoad: true },
  ]);
  return JSON.stringify({ mcpServers: Object.fromEntries(config) });
}

/** A single argument is limited to 128 kB, and every user of the machine can read it. */
const MAX_SCHEMA_CHARS = 32_000;

/**
 * Used only without the report tool, because with both the run would report twice. The schema becomes an API tool, which must
 * be an object and allows no union at the top level.
 */
function structuredOutput(schema: AgentRun["schema"]): readonly string[] {
  const text = JSON.stringify(schema);
  const isTool = schema["type"] === "object" && !["anyOf", "oneOf", "allOf"].some((key) => key in schema);
  return isTool && text.length <= MAX_SCHEMA_CHARS ? ["--json-schema", text] : [];
}

function option(flag: string, value: string | number | null): readonly string[] {
  return value === null ? [] : [flag, String(value)];
}

function listOption(flag: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [flag, ...values];
}
