import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { MCP_TOOL_NAME } from "../../core/settings/mcp.ts";
import type { SandboxMode, SandboxSettings } from "../../core/settings/settings.ts";
import { UserError } from "../../core/text/errors.ts";
import type { McpServers, McpServerTools, NamedMcpServer } from "../../ports/mcp.ts";
import type { Argv, SandboxLimits, SandboxPolicy } from "../../ports/sandbox.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import { mcpBridge, outsideEnvironment, secretsOf, type Variables } from "./start-server.ts";

export interface ListerParams {
  /** Nightshift's home directory. */
  readonly home: string;
  readonly mode: SandboxMode;
  readonly env: Variables;
  readonly limitsFor: (timeoutMs: number) => SandboxLimits;
  /** Runs a command in this sandbox, in a directory of its own, and returns its output. */
  readonly run: RunInSandbox;
}

export type RunInSandbox = (params: {
  readonly mode: SandboxMode;
  readonly policy: SandboxPolicy;
  readonly argv: Argv;
  readonly timeoutMs: number;
  /** Where the sandbox keeps its own files. */
  readonly dir: string;
}) => Promise<{
  readonly stdout: string;
  readonly stderr: string;
  readonly denials: readonly string[];
  readonly problem: string | null;
}>;

const START_MS = 20_000;
/** A handshake, the list, and the time until a server that hangs is killed. */
const TIMEOUT_MS = 3 * START_MS;
const REUSE_MS = { found: 10 * 60_000, failed: 30_000 };

interface Cached {
  readonly until: number;
  readonly tools: Promise<McpServerTools>;
}

export function createToolLister(params: ListerParams): McpServers["listTools"] {
  const cache = new Map<string, Cached>();
  return async (server, sandbox, { fresh = false } = {}) => {
    const key = JSON.stringify([server, sandbox, secretsOf(server, params.env)]);
    const cached = cache.get(key);
    if (!fresh && cached !== undefined && performance.now() < cached.until) return cached.tools;
    const tools = listTools(params, server, sandbox).then((found) => withoutSecrets(found, server, params.env));
    // While it is being listed, later calls wait for the same result.
    cache.set(key, { until: Infinity, tools });
    const { problem } = await tools;
    const until = performance.now() + (problem === null ? REUSE_MS.found : REUSE_MS.failed);
    cache.set(key, { until, tools });
    return tools;
  };
}

const listed = z.union([
  z.object({ tools: z.array(z.object({ name: z.string(), description: z.string() })) }),
  z.object({ problem: z.string() }),
]);

async function listTools(
  params: ListerParams,
  server: NamedMcpServer,
  sandbox: SandboxSettings,
): Promise<McpServerTools> {
  const fail = (problem: string): McpServerTools => ({
    tools: [],
    problem: `The MCP server ${server.name} ${problem}.`,
  });
  const refusal = refuseServer(params, server);
  if (refusal !== null) return fail(refusal);
  const dir = mkdtempSync(join(tmpdir(), "nightshift-mcp-"));
  try {
    const result = await runBridge(params, server, { dir, sandbox });
    if (result.problem !== null) return fail(`cannot be started: ${result.problem}`);
    const found = listed.safeParse(parseJson(result.stdout));
    if (!found.success) return fail(`did not answer in time${quote(result.stderr)}`);
    if ("problem" in found.data)
      return fail(`did not start: ${[found.data.problem, ...result.denials].map(oneLine).join("; ")}`);
    return chooseTools(server, found.data.tools);
  } catch (error) {
    return fail(`cannot be started: ${oneLine(explainError(error))}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A server may print its environment. */
function withoutSecrets(found: McpServerTools, server: NamedMcpServer, env: Variables): McpServerTools {
  const secrets = Object.entries(secretsOf(server, env)).map(([name, value]) => ({ name, value }));
  return createRedactor(secrets).redactValue(found);
}

function refuseServer({ mode, env }: ListerParams, { run, secrets }: NamedMcpServer): string | null {
  const missing = secrets.filter((name) => env[name] === undefined || env[name] === "");
  if (missing.length > 0) return `needs ${missing.join(", ")}, which is not set. Run "nightshift auth" to store it`;
  const needsBroker = run === "outside" || secrets.length > 0;
  if (!needsBroker || mode !== "enforce" || process.platform === "linux") return null;
  return run === "outside"
    ? "cannot run outside of the sandbox on this system yet"
    : "cannot get secrets in the sandbox on this system yet";
}

interface BridgeParams {
  readonly dir: string;
  readonly sandbox: SandboxSettings;
}

function runBridge(params: ListerParams, server: NamedMcpServer, { dir, sandbox }: BridgeParams) {
  const { home, limitsFor, run } = params;
  const secrets = secretsOf(server, params.env);
  const cwd = join(dir, "work");
  mkdirSync(cwd, { mode: 0o700 });
  const outside = outsideEnvironment(server, params.env);
  const env = { ...outside, ...(server.run === "inside" && { HOME: cwd, TMPDIR: cwd }), ...secrets };
  const variables = [...Object.keys(server.environment), ...Object.keys(secrets)];
  const config = JSON.stringify({ command: server.command, variables, startMs: START_MS });
  const bridge = mcpBridge();
  const policy: SandboxPolicy = {
    cwd,
    inPlace: false,
    own: { write: [cwd], read: [process.execPath, ...bridge.read] },
    write: [],
    read: sandbox.read,
    protect: [],
    hide: [],
    forbidden: [home],
    commands: sandbox.commands,
    programs: server.command.slice(0, 1),
    env,
    network: sandbox.network,
    privateHosts: sandbox.privateHosts,
    answersNo: false,
    gateway: null,
    answersNoModel: false,
    executes: true,
    limits: limitsFor(TIMEOUT_MS),
  };
  return run({
    mode: server.run === "inside" ? params.mode : "none",
    policy,
    argv: [process.execPath, bridge.file, "list", config],
    timeoutMs: TIMEOUT_MS,
    dir: join(dir, "sandbox"),
  });
}

function chooseTools({ name, tools: allowed }: NamedMcpServer, offered: McpServerTools["tools"]): McpServerTools {
  const missing = (allowed ?? []).filter((tool) => !offered.some((each) => each.name === tool));
  const usable = offered.filter(
    (tool) => MCP_TOOL_NAME.test(tool.name) && (allowed === null || allowed.includes(tool.name)),
  );
  const names = offered.map((tool) => tool.name).join(", ");
  const problem = `The MCP server ${name} has no tool ${missing.join(", ")}. It has: ${names === "" ? "none" : names}.`;
  return { tools: usable, problem: missing.length === 0 ? null : problem };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 1_000);
}

function quote(stderr: string): string {
  const line = oneLine(stderr);
  return line === "" ? "" : `: ${line}`;
}

function explainError(error: unknown): string {
  if (error instanceof UserError) return [error.message, error.hint].filter((part) => part !== null).join(" ");
  return error instanceof Error ? error.message : String(error);
}
