import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline, Transform } from "node:stream";
import { runEnvironmentEntry, type JobSecrets, type StoredJob } from "../adapters/process/job-files.ts";
import { createRedactor } from "../policy/secrets/redact.ts";
import type { BrokeredMcpServer, JobCommand } from "../ports/supervisor.ts";

/** The broker for the MCP servers of one command, if it has any. */
export interface McpBroker {
  /** The command, whose sandbox can reach the broker. */
  readonly command: JobCommand;
  /** Ends the servers, so that they can save their data. Idempotent. */
  close(): Promise<void>;
}

interface BrokerParams {
  readonly job: Pick<StoredJob, "socket" | "dir" | "run" | "sandbox">;
  readonly command: JobCommand;
  readonly jobSecrets: Pick<JobSecrets, "keys" | "redact">;
  readonly onNote: (sentence: string) => void;
}

/** Every connection starts a server, and an agent reconnects at most a few times. */
const MAX_CONNECTIONS = 16;
const MAX_NOTES = 20;
const MAX_NOTE = 1_000;
const REQUEST_TIMEOUT_MS = 10_000;
const GRACE_MS = 3_000;

/**
 * Serves MCP servers outside of the sandbox on a socket inside. The first line of a connection is a request: `serve <name>`
 * connects it to a new process of the server, `secrets <name>` gets the secrets of a server that runs inside.
 */
export async function openMcpBroker(params: BrokerParams): Promise<McpBroker> {
  const { job, command } = params;
  const servers = command.mcpServers ?? [];
  if (servers.length === 0) return { command, close: () => Promise.resolve() };
  const path = `${job.socket}.mcp`;
  const open = new Set<Socket>();
  const processes = new Set<ChildProcess>();
  const serve = createServing(params, processes);
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    void readRequest(socket).then((request) => answer(request, socket));
  });
  listener.maxConnections = MAX_CONNECTIONS;

  function answer(request: string | null, socket: Socket): void {
    const [, purpose, name] = /^(serve|secrets) (\S+)$/.exec(request ?? "") ?? [];
    const server = servers.find((each) => each.name === name);
    if (server === undefined) socket.destroy();
    else if (purpose === "serve" && server.outside !== null) serve(server, socket);
    // The secrets of a server outside never leave this process, except to the server.
    else if (purpose === "secrets" && server.outside === null) socket.end(JSON.stringify(secretsOf(server, params)));
    else socket.destroy();
  }

  rmSync(path, { force: true });
  listener.listen({ path });
  await once(listener, "listening");
  // The directory of the socket and the sandbox's mounts limit the access.
  chmodSync(path, 0o666);
  listener.on("error", () => undefined);
  const shutDown = async (): Promise<void> => {
    const closed = once(listener, "close");
    listener.close();
    for (const socket of open) socket.destroy();
    await Promise.all([closed, ...[...processes].map(endProcess)]);
  };
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= shutDown());
  const policy = job.sandbox === "enforce" ? { ...command.policy, mcpBroker: path } : command.policy;
  return { command: { ...command, policy }, close };
}

function secretsOf(
  { keyNames }: BrokeredMcpServer,
  { jobSecrets: { keys } }: BrokerParams,
): Readonly<Record<string, string>> {
  return Object.fromEntries(keyNames.flatMap((name) => (Object.hasOwn(keys, name) ? [[name, keys[name] ?? ""]] : [])));
}

/** Reads the first line. Null if it does not come in time. */
async function readRequest(socket: Socket): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const chunks: Buffer[] = [];
  const timer = setTimeout(resolve, REQUEST_TIMEOUT_MS, null);
  function onData(chunk: Buffer): void {
    chunks.push(chunk);
    const data = Buffer.concat(chunks);
    const end = data.indexOf("\n");
    if (end < 0 && data.length <= MAX_REQUEST_BYTES) return;
    socket.pause();
    socket.off("data", onData);
    if (end >= 0) socket.unshift(data.subarray(end + 1));
    resolve(end < 0 ? null : data.toString("utf8", 0, end));
  }
  socket.on("data", onData);
  socket.once("close", () => resolve(null));
  return promise.finally(() => clearTimeout(timer));
}

const MAX_REQUEST_BYTES = 200;

function createServing(params: BrokerParams, processes: Set<ChildProcess>) {
  const { job, jobSecrets } = params;
  // A server could print its environment.
  const { redact } = createRedactor(jobSecrets.redact);
  let notes = 0;
  const note = (text: string): void => {
    if (notes++ < MAX_NOTES) params.onNote(redact(text));
  };
  return (server: BrokeredMcpServer, socket: Socket): void => {
    const [program, ...args] = server.outside?.argv ?? [""];
    // Its own directory: an agent could leave files in the workspace that programs read as configuration.
    const cwd = join(job.dir, "mcp");
    mkdirSync(cwd, { recursive: true, mode: 0o700 });
    const child = spawn(program, args, {
      cwd,
      env: { ...server.outside?.env, ...secretsOf(server, params), ...environmentOf(job) },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    processes.add(child);
    child.once("error", (error) => {
      note(`The MCP server ${server.name} cannot be started: ${error.message}.`);
      processes.delete(child);
      socket.destroy();
    });
    child.once("exit", () => processes.delete(child));
    child.stdin.on("error", () => undefined);
    socket.pipe(child.stdin);
    socket.once("close", () => void endProcess(child));
    child.stderr.setEncoding("utf8").on("data", (text: string) => note(text.trimEnd().slice(0, MAX_NOTE)));
    pipeline(child.stdout, redactLines(redact), socket, () => undefined);
  };
}

/** Finds the processes again if the supervisor dies. */
function environmentOf({ run }: Pick<StoredJob, "run">): Readonly<Record<string, string>> {
  const [name = "", value = ""] = runEnvironmentEntry(run).split("=");
  return { [name]: value };
}

/** Redacts messages, which are lines. The bridge limits their length. */
function redactLines(redact: (text: string) => string): Transform {
  let rest: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = chunk.lastIndexOf("\n") + 1;
      if (end === 0) {
        rest.push(chunk);
        return done();
      }
      const lines = Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8");
      rest = [chunk.subarray(end)];
      done(null, redact(lines));
    },
  });
}

/** The bridge ends its server when it is asked to end. */
async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await exited.finally(() => clearTimeout(timer));
}
