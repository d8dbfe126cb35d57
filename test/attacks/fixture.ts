import { execFileSync, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../../src/adapters/git/workspace/remove-tree.ts";
import { RESULT, syscallProgram } from "../../src/testing/syscalls/syscall-program.ts";
import type { Syscall } from "../../src/testing/syscalls/syscall-program.ts";
import { testPolicy } from "../../src/testing/policy.ts";
import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import type { Fixture } from "./attack.ts";
import { syscallNumber } from "./attacker-tools.ts";
import { createOpenProxy } from "./open-proxy.ts";

export interface OpenFixture extends Fixture {
  close(): Promise<void>;
}

/** In the daemon's environment, and on one of its descriptors. */
export const SECRET_NAME = "NIGHTSHIFT_ATTACK_SECRET";
/** The port of the sandbox's relay. */
export const RELAY_PORT = 3128;

/** Creates decoys in a temporary directory, new for each environment. */
export async function createFixture(kit: string): Promise<OpenFixture> {
  const id = randomBytes(6).toString("hex");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-attacks-")));
  chmodSync(root, 0o755);
  const at = (...names: string[]) => join(root, ...names);
  const secret = process.env[SECRET_NAME] ?? "";
  const decoys: Record<string, string> = {
    "work/file": "mine\n",
    "work/protected/rules": "keep\n",
    "readable/file": "granted\n",
    "outside/file": `${secret}\n`,
    "user/.ssh/id_rsa": `${secret}\n`,
    "user/.bashrc": "# mine\n",
    "nightshift/nightshift.db": `SQLite format 3 ${secret}\n`,
    "nightshift/config.yaml": `token: ${secret}\n`,
    "nightshift/auth/keys.json": `{"ANTHROPIC_API_KEY":{"value":"${secret}"}}\n`,
    "nightshift/homes/run_other/.claude/credentials.json": `${secret}\n`,
    "nightshift/outcomes/run_other/outcome.json": '{"outcome":"done"}\n',
    "nightshift/workspaces/task_other/tree/file": "theirs\n",
  };
  for (const [name, text] of Object.entries(decoys)) {
    mkdirSync(join(at(name), ".."), { recursive: true });
    writeFileSync(at(name), text);
  }
  execFileSync("chmod", ["-R", "a+rwX", root]);
  chmodSync(root, 0o755);

  const servers: Server[] = [];
  const listen = async (where: { path: string } | { port: number; host: string }) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${secret}\n`);
    });
    servers.push(server);
    await new Promise<void>((ready, fail) => server.once("error", fail).listen(where, ready));
    return server;
  };
  const api = (await listen({ port: 0, host: "127.0.0.1" })).address();
  const apiPort = typeof api === "object" && api !== null ? api.port : 0;
  await listen({ path: at("outside/socket") });
  chmodSync(at("outside/socket"), 0o666);
  const abstractSocket = `nightshift-attack-${id}`;
  await listen({ path: `\0${abstractSocket}` });
  const udp = createSocket("udp4");
  udp.on("message", () => writeFileSync(at("outside/datagram"), "came out"));
  await new Promise<void>((ready) => udp.bind(0, "127.0.0.1", ready));
  const proxy = await createOpenProxy(apiPort);
  const victim = spawn("sleep", ["300"], { stdio: "ignore" });
  const sharedMemoryKey = 0x4e00_0000 + randomInt(0xff_ffff);
  makeSharedMemory(at("outside"), sharedMemoryKey);

  return {
    id,
    root,
    kit,
    work: at("work"),
    outside: at("outside"),
    secret,
    userHome: at("user"),
    nightshift: at("nightshift"),
    readable: at("readable"),
    daemonPid: process.pid,
    victimPid: victim.pid ?? 0,
    apiPort,
    udpPort: udp.address().port,
    socket: at("outside/socket"),
    abstractSocket,
    controlSocket: "",
    proxyPort: proxy.port,
    sharedMemoryKey,
    async close() {
      victim.kill("SIGKILL");
      udp.close();
      proxy.close();
      for (const server of servers) server.close();
      removeSharedMemory(at("outside"), sharedMemoryKey);
      await removeTree(root);
    },
  };
}

/** The policy of an agent that works in the fixture. */
export function fixturePolicy(fixture: Fixture, changes: Partial<SandboxPolicy> = {}): SandboxPolicy {
  return testPolicy(fixture.work, {
    own: { write: [fixture.work], read: [fixture.kit, fixture.readable, realpathSync(process.execPath)] },
    protect: [join(fixture.work, "protected")],
    forbidden: [fixture.nightshift],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: fixture.work, LC_ALL: "C" },
    ...changes,
  });
}

const SHMGET = [29, 194] as const;
const SHMCTL = [31, 195] as const;
const IPC_CREAT = 0o1000;
const IPC_RMID = 0;

/** A shared memory segment that everyone may attach. It exists until it is removed. */
function makeSharedMemory(dir: string, key: number): void {
  execute(join(dir, "make-memory"), [{ call: syscallNumber(SHMGET), args: [key, 4096, IPC_CREAT | 0o666] }]);
}

function removeSharedMemory(dir: string, key: number): void {
  const calls: readonly Syscall[] = [
    { call: syscallNumber(SHMGET), args: [key, 0, 0] },
    { call: syscallNumber(SHMCTL), args: [RESULT, IPC_RMID, 0] },
  ];
  execute(join(dir, "remove-memory"), calls);
}

function execute(file: string, calls: readonly Syscall[]): void {
  writeFileSync(file, syscallProgram(process.arch === "arm64" ? "arm64" : "x64", calls), { mode: 0o755 });
  execFileSync(file);
}
