import { spawn, type ChildProcess } from "node:child_process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { ServerConfig } from "./config.ts";

export interface StartedServer {
  readonly client: Client;
  /** Why the server does not answer. Null while it runs. */
  problem(): string | null;
  /** Ends all its processes. */
  stop(): Promise<void>;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Passed to every server: what programs need to start, and how to reach the network. */
const COMMON_VARIABLES = (
  "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ TMPDIR NIGHTSHIFT_RUN " +
  "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_USE_ENV_PROXY " +
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR"
).split(" ");

/** A server that prints a longer line is ended, because all of it would have to be kept in memory. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_STDERR = 2_000;
const GRACE_MS = 2_000;

/** Starts a server and completes the handshake. Rejects with a sentence if it does not answer in time. */
export async function startServer(config: ServerConfig, env: Variables): Promise<StartedServer> {
  const [program, ...args] = config.command;
  const child = spawn(program, args, {
    env: pick(env, [...COMMON_VARIABLES, ...config.variables]),
    stdio: ["pipe", "pipe", "pipe"],
    // In its own process group, so that programs that it starts can be ended, too.
    detached: true,
  });
  const ending = watchEnding(child, program);
  const stop = (): Promise<void> => stopProcess(child, ending.ended);
  // Without a reader, writing to the server is an error that would end this program.
  child.stdin.on("error", () => undefined);
  // The framing is the same in both directions. Unlike the SDK's client transport, this one does not start the process itself.
  const transport = new StdioServerTransport(child.stdout, child.stdin, { maxBufferSize: MAX_MESSAGE_BYTES });
  const client = new Client({ name: "nightshift", version: "1" }, { capabilities: {} });
  let overflow: string | null = null;
  // Lines that are no messages are skipped.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is not an EventTarget
  client.onerror = ({ message }) => {
    if (!message.includes("exceeded maximum size")) return;
    overflow = `it printed a message of more than ${MAX_MESSAGE_BYTES} bytes`;
    void stop();
  };
  void ending.ended.then(() => client.close());
  const problem = (): string | null => overflow ?? ending.problem();
  try {
    await client.connect(transport, { timeout: config.startMs, maxTotalTimeout: config.startMs });
    return { client, problem, stop };
  } catch (error) {
    const why = problem() ?? `it did not answer: ${describe(error)}${ending.lastWords()}`;
    await stop();
    throw new Error(why, { cause: error });
  }
}

function pick(env: Variables, names: readonly string[]): Variables {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

interface Ending {
  readonly ended: Promise<void>;
  problem(): string | null;
  lastWords(): string;
}

function watchEnding(child: ChildProcess, program: string): Ending {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let stderr = "";
  let problem: string | null = null;
  const lastWords = (): string => {
    const line = stderr.trim().split("\n").at(-1)?.trim() ?? "";
    return line === "" ? "" : ` (its last error message: ${line.slice(-500)})`;
  };
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = `${stderr}${chunk}`.slice(-MAX_STDERR);
  });
  child.once("error", (error) => {
    problem ??= `${program} cannot be started: ${describe(error)}`;
    resolve();
  });
  // `close` comes after all output, but only once no other process has the pipes open.
  child.once("exit", (code, signal) => {
    child.stdin?.destroy();
    const timer = setTimeout(finish, 200);
    child.once("close", finish);
    function finish(): void {
      clearTimeout(timer);
      problem ??= `it ended with ${code === null ? String(signal) : `exit code ${code}`}${lastWords()}`;
      resolve();
    }
  });
  return { ended, problem: () => problem, lastWords };
}

/** First closes its input, as the protocol asks for. */
async function stopProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await settlesWithin(ended, GRACE_MS / 2)) break;
    signalGroup(child, signal);
  }
  await settlesWithin(ended, GRACE_MS);
  // Programs that it started and left behind.
  signalGroup(child, "SIGKILL");
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // There are no processes left.
  }
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
