import { execFile } from "node:child_process";
import { closeSync, fsync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyCall, groupParallel, type GitCall } from "./trace-git.ts";

/** The minimal cost of a task, to compare with. */
export interface BareTask {
  readonly calls: readonly GitCall[];
  /** Number of supervised processes, one Node each. */
  readonly processes: number;
  readonly commits: number;
}

/** A copy of everything the calls need, to be replayed once. */
export interface Prepared {
  play(): Promise<void>;
  remove(): void;
}

export function prepareBare(task: BareTask, root: string, dir: string): Prepared {
  mkdirSync(dir, { recursive: true });
  const groups = groupParallel(task.calls).map((group, at) =>
    group.map((call, index) => copyCall(call, root, join(dir, `${at}-${index}`))),
  );
  return {
    async play() {
      for (const group of groups) await Promise.all(group.map(runCall));
      for (let count = 0; count < task.processes; count += 1) await bareNode();
      await commit(join(dir, "commits"), task.commits);
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The start time of Node, with the same Node as everything else. */
export async function bareNode(): Promise<void> {
  await promisify(execFile)(process.execPath, ["-e", "0"]);
}

async function runCall({ argv, cwd, env, input }: GitCall): Promise<void> {
  const fed = input === null ? "ignore" : openSync(input, "r");
  const child = spawn("git", argv, { cwd, env: withoutTracer(env), stdio: [fed, "ignore", "pipe"] });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (typeof fed === "number") closeSync(fed);
  if (code !== 0) throw new Error(`git ${argv.join(" ")} exited with ${code}: ${said}`);
}

function withoutTracer(env: Readonly<Record<string, string>>): Record<string, string> {
  const { BENCH_TRACED: _, ...rest } = env;
  return rest;
}

async function commit(file: string, count: number): Promise<void> {
  const page = Buffer.alloc(4096, "x");
  const handle = openSync(file, "w");
  for (let done = 0; done < count; done += 1) {
    writeSync(handle, page);
    await promisify(fsync)(handle);
  }
  closeSync(handle);
}
