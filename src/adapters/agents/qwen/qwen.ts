import { join } from "node:path";
import type { Agent, AgentCommand, AgentRun, McpServer } from "../../../ports/agent.ts";
import { parseClaudeLine } from "../claude-code/lines.ts";
import { readTools } from "../claude-code/tools.ts";
import { describeProgram, type AgentPackage } from "../shared/agent-package.ts";

export const QWEN_PACKAGE: AgentPackage = {
  program: "qwen",
  package: "@qwen-code/qwen-code",
  tested: "0.24.4",
  oldest: "0.24.0",
};

/** Qwen Code. Its output has claude's format, and it works with any model that offers OpenAI's chat completions API. */
export function qwen(): Agent {
  return {
    kind: "qwen",
    capabilities: { sessions: true, mcp: true, gateway: "openai" },
    program: describeProgram(QWEN_PACKAGE),
    parseLine: parseClaudeLine,
    command,
  };
}

function command(run: AgentRun): AgentCommand {
  const mcpFile = join(run.filesDir, "mcp.json");
  const schemaFile = join(run.filesDir, "schema.json");
  const report = run.reportServer;
  const hasServers = report !== null || (run.mcpServers ?? []).length > 0;
  return {
    argv: [
      "qwen",
      // Ignores hooks, MCP servers and instructions of the workspace.
      "--bare",
      "--output-format=stream-json",
      "--auth-type=openai",
      "--approval-mode=yolo",
      ...excludedTools(run).flatMap((name) => ["--exclude-tools", name]),
      ...(report === null ? ["--json-schema", `@${schemaFile}`] : []),
      ...(hasServers ? ["--mcp-config", mcpFile] : []),
      run.session.kind === "new" ? "--session-id" : "--resume",
      run.session.id,
      ...(run.model === null ? [] : ["-m", run.model]),
      ...(run.maxTurns === null ? [] : ["--max-session-turns", String(run.maxTurns)]),
    ],
    env: { ...ENVIRONMENT, ...gatewayEnv(run) },
    prompt: "stdin",
    read: [],
    files: {
      ...(report === null && { [schemaFile]: JSON.stringify(run.schema) }),
      ...(hasServers && { [mcpFile]: mcpConfig(run) }),
    },
    // With `--bare` it ignores the settings in the workspace, but would still migrate these files to its current format.
    hide: [".qwen"],
  };
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  // Its own sandbox does not work inside ours.
  QWEN_SANDBOX: "false",
  QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
};

function gatewayEnv({ gateway }: AgentRun): Readonly<Record<string, string>> {
  return gateway === null ? {} : { OPENAI_BASE_URL: `${gateway.url}/v1`, OPENAI_API_KEY: gateway.key };
}

/**
 * With `--bare` qwen always has these four tools. It cannot restrict its shell to certain commands, so a role with a
 * restricted shell gets none.
 */
function excludedTools({ tools, mayWrite }: AgentRun): readonly string[] {
  const { names, shell } = readTools(tools, mayWrite);
  const writes = names.includes("Edit") || names.includes("Write");
  return [
    ...(names.includes("Read") ? [] : ["read_file"]),
    ...(writes ? [] : ["edit", "notebook_edit"]),
    ...(shell === null ? [] : ["run_shell_command"]),
  ];
}

function mcpConfig({ reportServer, mcpServers = [] }: AgentRun): string {
  const planned = mcpServers.map(({ name, server }) => [name, trusted(server)] as const);
  return JSON.stringify({
    mcpServers: { ...(reportServer !== null && { nightshift: trusted(reportServer) }), ...Object.fromEntries(planned) },
  });
}

function trusted(server: McpServer): McpServer & { readonly trust: true } {
  return { ...server, trust: true };
}
