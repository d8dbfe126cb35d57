import { createRequire } from "node:module";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../../../core/text/errors.ts";
import type { Agent, AgentCommand, AgentRun } from "../../../ports/agent.ts";
import { KNOWN_AGENTS } from "./known.ts";
import type { AcpRules } from "./rules.ts";
import { parseOwnLine } from "../shared/own-events.ts";

/** Any agent that speaks the Agent Client Protocol over its stdio, driven by a client of ours that prints events of ours. */
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
    capabilities: {
      sessions: true,
      mcp: true,
      gateway: known?.api ?? null,
    },
    program: { name: program, versionArgs: [], oldest: null, install: "Install it, or correct `command`." },
    parseLine: parseOwnLine,
    command: (run: AgentRun): AgentCommand => {
      const rulesFile = join(run.filesDir, "acp-rules.json");
      return {
        argv: [process.execPath, CLIENT, rulesFile],
        env: run.gateway === null ? {} : (known?.env(run.gateway) ?? {}),
        prompt: "stdin",
        // Also what a file of settings names by its path: the agent's own script, its configuration.
        read: [...CLIENT_FILES, ...args.filter((arg) => isAbsolute(arg))],
        files: {
          [rulesFile]: JSON.stringify(rulesOf(run, [program, ...args, ...(known?.args ?? [])])),
          ...known?.files?.(run),
        },
      };
    },
  };
}

const START_MS = 60_000;

function rulesOf(run: AgentRun, command: readonly string[]): AcpRules {
  const { workspace, mayWrite, write, read, tools, commands, model, session, reportServer } = run;
  return {
    command,
    workspace,
    mayWrite,
    write: [...write, run.home],
    read,
    tools,
    commands,
    model,
    session,
    reportServer,
    startMs: START_MS,
  };
}

// The client stands beside this file: as TypeScript in a checkout, as JavaScript in the package.
const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const CLIENT = pathOf(`./client.${EXTENSION}`);

/** The client, what it imports, and what tells Node that they are modules. */
const CLIENT_FILES = [
  CLIENT,
  ...[
    "./agent",
    "./end",
    "./fields",
    "./listen",
    "./permissions",
    "./print",
    "./session",
    "./stream",
    "./updates",
    "./usage",
    "../claude-code/guard-program",
    "../shared/http-failure",
  ].map((name) => pathOf(`${name}.${EXTENSION}`)),
  pathOf("../../../../package.json"),
  ...packagesOfClient(),
];

function packagesOfClient(): readonly string[] {
  const sdk = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk"));
  // As the SDK finds it, which need not be the one that we use.
  const zod = createRequire(sdk).resolve("zod");
  return [folderOf(sdk, "@agentclientprotocol/sdk"), folderOf(zod, "zod")];
}

function folderOf(file: string, name: string): string {
  const at = file.lastIndexOf(`/node_modules/${name}/`);
  return file.slice(0, at + `/node_modules/${name}`.length);
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
