import type { SandboxMode } from "../../core/settings/settings.ts";
import { MCP_CALL_MS } from "../../core/settings/mcp.ts";
import type { ConnectParams, McpConnection, McpServers, NamedMcpServer } from "../../ports/mcp.ts";
import { socketPath } from "../process/socket-path.ts";
import { createToolLister, type ListerParams } from "./list-tools.ts";
import { mcpBridge, outsideEnvironment, secretsOf } from "./start-server.ts";

type McpServersParams = ListerParams;

/** A bridge gives up before the agent does, so that the agent sees the reason. */
const START_MS = 25_000;
const BROKER_INSIDE = "/run/nightshift/mcp.sock";

export function createMcpServers(params: McpServersParams): McpServers {
  return {
    listTools: createToolLister(params),
    connect: (request) =>
      request.server.run === "inside" ? connectInside(params, request) : connectOutside(params, request),
  };
}

/** The agent starts the bridge, and the bridge starts the server. */
function connectInside({ home, mode, env }: McpServersParams, { server, tools, paths }: ConnectParams): McpConnection {
  const keys = secretsOf(server, env);
  const keyNames = Object.keys(keys);
  const secretsFrom = keyNames.length === 0 ? null : brokerSocket(home, mode, paths.dir);
  const bridge = mcpBridge();
  const [command] = server.command;
  return {
    server: {
      command: process.execPath,
      args: [bridge.file, "serve", serveConfig(server, tools, secretsFrom)],
      env: server.environment,
    },
    read: [process.execPath, ...bridge.read],
    programs: command === undefined ? [] : [command],
    brokered: keyNames.length === 0 ? null : { name: server.name, outside: null, keyNames },
    keys,
  };
}

/** The agent starts a bridge that only forwards to the broker, which starts the bridge in front of the server. */
function connectOutside({ home, mode, env }: McpServersParams, { server, tools, paths }: ConnectParams): McpConnection {
  const keys = secretsOf(server, env);
  const bridge = mcpBridge();
  const config = serveConfig({ ...server, environment: { ...server.environment, ...keys } }, tools, null);
  return {
    server: {
      command: process.execPath,
      args: [bridge.file, "connect", brokerSocket(home, mode, paths.dir), server.name],
      env: {},
    },
    read: [process.execPath, ...bridge.read],
    programs: [],
    brokered: {
      name: server.name,
      outside: { argv: [process.execPath, bridge.file, "serve", config], env: outsideEnvironment(server, env) },
      keyNames: Object.keys(keys),
    },
    keys,
  };
}

function serveConfig(server: NamedMcpServer, tools: readonly string[], secretsFrom: string | null): string {
  const { name, command, environment } = server;
  const variables = Object.keys(environment);
  return JSON.stringify({ name, command, variables, tools, startMs: START_MS, callMs: MCP_CALL_MS, secretsFrom });
}

/** The supervisor appends `.mcp` to the path of its control socket. */
function brokerSocket(home: string, mode: SandboxMode, dir: string): string {
  return mode === "enforce" ? BROKER_INSIDE : `${socketPath(home, dir)}.mcp`;
}
