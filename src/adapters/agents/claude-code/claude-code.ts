import { join } from "node:path";
import type { Agent, AgentCommand, AgentRun, McpServer } from "../../../ports/agent.ts";
import { guardFile, guardSettings } from "./guard.ts";
import { parseClaudeLine } from "./lines.ts";
import { readTools } from "./tools.ts";

/** Claude Code, one run at a time: the prompt on stdin, events as lines of JSON on stdout. */
export function claudeCode(): Agent {
  return {
    kind: "claude-code",
    capabilities: {
      sessions: true,
      mcp: true,
      gateway: "anthropic",
    },
    program: {
      name: "claude",
      versionArgs: ["--version"],
      // Older ones pass over a hook that fails, and with it over the guard.
      oldest: "2.1.300",
      install: "Install it by `npm install -g @anthropic-ai/claude-code`.",
    },
    parseLine: parseClaudeLine,
    command,
  };
}

const SERVER = "nightshift";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];

function command(run: AgentRun): AgentCommand {
  const settingsFile = join(run.filesDir, "settings.json");
  const mcpFile = join(run.filesDir, "mcp.json");
  const { names, allowed, shell } = readTools(run.tools, run.mayWrite);
  const guard = guardSettings({
    node: process.execPath,
    guardFile: guardFile(),
    workspace: run.workspace,
    write: run.write,
    // At home it keeps outputs that were too long, and tells the model to read them there.
    read: [...run.read, run.home],
    commands: run.commands,
    shell,
  });
  const report = run.reportServer;
  return {
    argv: [
      "claude",
      ...STREAM,
      // No settings, hooks, servers or orders but ours: those of the workspace are a stranger's.
      "--setting-sources",
      "",
      "--settings",
      settingsFile,
      "--strict-mcp-config",
      ...(report === null ? [] : ["--mcp-config", mcpFile]),
      // Whatever is not listed is refused, and nobody is asked. The wall is outside; this is policy within.
      "--permission-mode",
      "dontAsk",
      "--tools",
      names.join(","),
      ...listed("--allowedTools", report === null ? allowed : [...allowed, `mcp__${SERVER}__report_outcome`]),
      run.session.kind === "new" ? "--session-id" : "--resume",
      run.session.id,
      ...option("--model", run.model),
      ...option("--max-turns", run.maxTurns),
      ...option("--max-budget-usd", run.maxBudgetUsd),
      ...(report === null ? structuredOutput(run.schema) : []),
    ],
    env: { ...ENVIRONMENT, CLAUDE_CONFIG_DIR: join(run.home, ".claude"), ...gatewayEnv(run) },
    prompt: "stdin",
    read: [process.execPath, guardFile()],
    files: {
      [settingsFile]: JSON.stringify(guard),
      ...(report !== null && { [mcpFile]: mcpConfig(report) }),
    },
  };
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  DISABLE_TELEMETRY: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // What one run learned would reach the next one of the same path, whoever's task it is.
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  // A command that outlives the turn makes for a second result after the first.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // About eight seconds. It would try a wrong key for more than a minute; waiting for longer is the engine's.
  CLAUDE_CODE_MAX_RETRIES: "4",
  // Or the model would have to search for the tool that it reports with.
  ENABLE_TOOL_SEARCH: "false",
};

/** Without a gateway it uses what the settings grant, such as CLAUDE_CODE_OAUTH_TOKEN. */
function gatewayEnv({ gateway }: AgentRun): Readonly<Record<string, string>> {
  if (gateway === null) return {};
  // With a key it takes a subscription that is used up for a rush of requests, and does not say when it resets.
  const name = gateway.keyKind === "token" ? "CLAUDE_CODE_OAUTH_TOKEN" : "ANTHROPIC_API_KEY";
  return { ANTHROPIC_BASE_URL: gateway.url, [name]: gateway.key };
}

function mcpConfig({ command: program, args, env }: McpServer): string {
  const server = { type: "stdio", command: program, args, env, alwaysLoad: true };
  return JSON.stringify({ mcpServers: { [SERVER]: server } });
}

/** One argument may have 128 kB, and all are seen by everybody on the machine. */
const MAX_SCHEMA = 32_000;

/**
 * In the place of the report's tool, not beside it: it would make a run that has reported already report once more. It
 * becomes a tool of the API, which takes objects only, and no choice between several at the top.
 */
function structuredOutput(schema: AgentRun["schema"]): readonly string[] {
  const text = JSON.stringify(schema);
  const isTool = schema["type"] === "object" && !["anyOf", "oneOf", "allOf"].some((key) => key in schema);
  return isTool && text.length <= MAX_SCHEMA ? ["--json-schema", text] : [];
}

function option(flag: string, value: string | number | null): readonly string[] {
  return value === null ? [] : [flag, String(value)];
}

function listed(flag: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [flag, ...values];
}
