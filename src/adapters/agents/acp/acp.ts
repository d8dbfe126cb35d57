import { createRequire } from "node:module";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import type { AcpRules } from "./rules.ts";
import { describeProgram } from "../shared/agent-package.ts";
import { parseEventLine } from "../shared/event-lines.ts";

/** Any agent that supports the Agent Client Protocol over stdio. Our client runs it and prints its transcript as events. */
export function acp({ command = [] }: { readonly command?: readonly string[] | undefined }): Agent {
  const [program, ...args] = command;
  if (program === undefined || program === "") {
    throw new UserError(
      "invalid",
      "An agent of kind `acp` needs a `command` that speaks ACP, such as `[gemini, --acp]`.",
    );
  }
  const known = KNOWN_AGENTS[basename(program)] ?? null;
  return {
    kind: "acp",
    capabilities: { sessions: true, mcp: true, gateway: known?.api ?? null },
    program:
      known?.package === undefined
        ? { name: program, versionArgs: [], oldest: null, install: "Install it, or correct `command`." }
        : { ...describeProgram(known.package), name: program },
    parseLine: parseEventLine,
    command: (run: AgentRun): AgentCommand => {
      const rulesFile = join(run.filesDir, "acp-rules.json");
      return {
        argv: [process.execPath, CLIENT, rulesFile],
        env: run.gateway === null ? {} : (known?.env(run.gateway) ?? {}),
        prompt: "stdin",
        // Also absolute paths in the settings, such as the agent's own script or its configuration.
        read: [...CLIENT_FILES, ...args.filter((arg) => isAbsolute(arg))],
        files: {
          [rulesFile]: JSON.stringify(createRules(run, [program, ...args, ...(known?.args ?? [])])),
          ...known?.files?.(run),
        },
      };
    },
  };
}

const START_TIMEOUT_MS = 60_000;

function createRules(run: AgentRun, command: readonly string[]): AcpRules {
  const { workspace, mayWrite, write, read, tools, commands, model, session, reportServer, mcpServers = [] } = run;
  const same = { workspace, mayWrite, read, tools, commands, model, session, reportServer, mcpServers };
  return { ...same, command, write: [...write, run.home], startTimeoutMs: START_TIMEOUT_MS };
}

// The client is TypeScript in a checkout and JavaScript in the package.
const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const CLIENT = pathOf(`./client.${EXTENSION}`);

/** The client, its imports, and package.json, which marks them as modules. */
const CLIENT_FILES = [
  CLIENT,
  ...[
    "./agent-process",
    "./client-handler",
    "./errors",
    "./fields",
    "./format-event",
    "./message-stream",
    "./permissions",
    "./session",
    "./updates",
    "./usage",
    "../claude-code/guard-program",
    "../shared/http-failure",
  ].map((name) => pathOf(`${name}.${EXTENSION}`)),
  pathOf("../../../../package.json"),
  ...findClientPackages(),
];

function findClientPackages(): readonly string[] {
  const sdk = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk"));
  // The SDK's own version of zod, which may differ from ours.
  const zod = createRequire(sdk).resolve("zod");
  return [packageFolder(sdk, "@agentclientprotocol/sdk"), packageFolder(zod, "zod")];
}

function packageFolder(file: string, name: string): string {
  const at = file.lastIndexOf(`/node_modules/${name}/`);
  return file.slice(0, at + `/node_modules/${name}`.length);
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
