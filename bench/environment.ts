import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { DaemonAddress } from "../src/cli/daemon/find-daemon.ts";
import { homePaths } from "../src/config/files/paths.ts";
import type { Client } from "../src/http/client/client.ts";
import { createNodeClient } from "../src/http/client/node-client.ts";

/** A temporary home, repository and remote in one directory. */
export interface BenchEnvironment {
  readonly root: string;
  readonly home: string;
  readonly remote: string;
  remove(): void;
}

export interface Daemon {
  readonly pid: number;
  readonly client: Client;
  /** With `force`, running agents are ended too. */
  stop(options?: { readonly force: boolean }): Promise<void>;
}

export const PROJECT = "bench";
export const BIN = join(import.meta.dirname, "..", "bin", "nightshift");

export interface BenchEnvironmentOptions {
  readonly sandbox?: "enforce" | "none";
  /** Added to nightshift.yaml. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Number of additional files in the repository. */
  readonly files?: number;
}

/** `agent` is the shell script of the agent. There is one check, which always passes. */
export function createBenchEnvironment(
  agent: string,
  concurrentRuns: number,
  more: BenchEnvironmentOptions = {},
): BenchEnvironment {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-bench-")));
  const [home, repo, remote, script] = ["home", "repo", "remote.git", "agent.sh"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(repo);
  writeFileSync(script, `#!/bin/sh\n${agent}\n`, { mode: 0o755 });
  writeFileSync(
    join(home, "config.yaml"),
    `sandbox: { mode: ${more.sandbox ?? "none"} }\nlimits: { concurrent_runs: ${concurrentRuns} }\n`,
  );
  const settings = {
    project: PROJECT,
    agent: "own",
    agents: { own: { kind: "command", command: [script] } },
    checks: { test: { command: "true" } },
    ...more.settings,
  };
  writeFileSync(join(repo, "nightshift.yaml"), JSON.stringify(settings));
  writeFileSync(join(repo, "README"), "Something to change.\n");
  for (let file = 0; file < (more.files ?? 0); file += 1) {
    const folder = join(repo, "src", String(file % 100));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${file}.txt`), `line of ${file}\n`.repeat(20));
  }
  const git = (...args: readonly string[]): void => {
    execFileSync(
      "git",
      ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false", ...args],
      { cwd: repo, stdio: "pipe" },
    );
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  git("remote", "add", "origin", remote);
  git("push", "--quiet", "origin", "main");
  return { root, home, remote, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Starts the daemon like `nightshift start`. `env` is added to its environment. */
export async function openDaemon(
  environment: BenchEnvironment,
  env: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const given = { ...process.env, NIGHTSHIFT_HOME: environment.home, ...env };
  await promisify(execFile)(process.execPath, [BIN, "start"], { env: given, cwd: environment.root });
  // The daemon has just written it.
  const address = JSON.parse(readFileSync(homePaths(environment.home).daemon, "utf8")) as DaemonAddress;
  const client = createNodeClient(address);
  return {
    pid: address.pid,
    client,
    async stop({ force } = { force: false }) {
      await client.call("POST /daemon/stop", { body: { force } });
      while (existsSync(`/proc/${address.pid}`)) await sleep(10);
    },
  };
}

/** Registers the project and accepts its permissions. */
export async function register(environment: BenchEnvironment, client: Client): Promise<void> {
  const where = { path: join(environment.root, "repo"), url: null };
  const { pending } = await client.call("POST /projects", { body: { ...where, accept: null } });
  if (pending.changes.length > 0) await client.call("POST /projects", { body: { ...where, accept: pending.hash } });
}

/** Changes a file, reports and exits. */
export const QUICK_AGENT = `echo "$NIGHTSHIFT_TASK" >> README
printf '{"outcome":"implemented","summary":"Changed a line"}' > "$NIGHTSHIFT_OUTCOME_FILE"`;
