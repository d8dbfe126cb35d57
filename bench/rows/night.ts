import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "../../src/http/client/client.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { median, timed } from "../statistics.ts";

const FILES = 5_000;
const AGENT_MS = 300;
const ROLES = 4;
const ROUNDS = 5;
const NIGHTS = 60;
const EARLY = 10;
const MB = 1_000_000;

/** Four roles that each work for a fixed time and report. */
const AGENT = `sleep ${AGENT_MS / 1000}
case $NIGHTSHIFT_ROLE in
analyze) printf '{"outcome":"improvement_found","category":"docs","candidates":[{"rank":1,"title":"Note %s","files":["README"],"description":"d","rationale":"r"}],"selected":1}' "$NIGHTSHIFT_TASK";;
implement) echo "$NIGHTSHIFT_TASK" >> README; printf '{"outcome":"implemented","summary":"noted"}';;
verify) printf '{"outcome":"verified","summary":"so it is"}';;
describe) printf '{"outcome":"described","title":"Note","summary":"s","reasoning":"r","changes":"c","commit_message":"docs: note"}';;
esac > "$NIGHTSHIFT_OUTCOME_FILE"`;

const SETTINGS = { improve: { avoid_recent_commits: 0 }, limits: { open_change_requests: 1_000 } };

/** Measures the overhead of a night besides its agents, and whether sixty nights leak memory in the daemon. */
export async function measureNight(): Promise<readonly Measured[]> {
  return [...(await measureOverhead()), ...(await measureGrowth())];
}

async function measureOverhead(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(AGENT, 2, { sandbox: "enforce", settings: SETTINGS, files: FILES });
  const daemon = await openDaemon(environment);
  try {
    await register(environment, daemon.client);
    await improve(daemon.client);
    const times: number[] = [];
    const checkouts: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      times.push(await improve(daemon.client));
      checkouts.push(await checkOut(environment));
    }
    const baseline = ROLES * AGENT_MS;
    const value = median(times);
    const what = `a night of four roles on ${FILES} files, in the sandbox (baseline: its agents' own time)`;
    const bare = `a bare checkout of these files right after each (a night has three)`;
    return [
      { row: "l", what, unit: "ms", value, baseline, target: atMost(value - baseline, 3_000, "agents + 3 s") },
      { row: "l", what: bare, unit: "ms", value: median(checkouts), baseline: null, target: null },
    ];
  } finally {
    await daemon.stop();
    environment.remove();
  }
}

/** A plain git checkout. Its time depends on the file system and on how many files were removed there before. */
async function checkOut({ root, remote }: BenchEnvironment): Promise<number> {
  const tree = join(root, "bare-tree");
  mkdirSync(tree);
  const env = { ...process.env, GIT_DIR: remote, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(root, "bare-index") };
  const ms = await timed(() => promisify(execFile)("git", ["read-tree", "--reset", "-u", "main"], { env }));
  rmSync(tree, { recursive: true });
  rmSync(env.GIT_INDEX_FILE);
  return ms;
}

async function measureGrowth(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(AGENT.replace(/^sleep .*/, ""), 2, { settings: SETTINGS });
  const daemon = await openDaemon(environment);
  try {
    await register(environment, daemon.client);
    let early = 0;
    for (let night = 1; night <= NIGHTS; night += 1) {
      await improve(daemon.client);
      if (night === EARLY) early = readRss(daemon.pid);
    }
    const value = readRss(daemon.pid);
    const what = `daemon's RSS after night ${NIGHTS} (baseline: after night ${EARLY})`;
    return [{ row: "l", what, unit: "MB", value, baseline: early, target: atMost(value, 1.1 * early, "1.1 ×") }];
  } finally {
    await daemon.stop();
    environment.remove();
  }
}

/** From the request to the end of the task, in ms. */
async function improve(client: Client): Promise<number> {
  const start = performance.now();
  const body = { project: PROJECT, pipeline: "improve", description: "Improve", category: "docs" as const };
  const { id } = await client.call("POST /tasks", { body });
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    if (task.status === "succeeded" && task.state === "published") return performance.now() - start;
    if (task.finished_at !== null || task.status === "waiting")
      throw new Error(`the night ended as ${task.status} in ${task.state}: ${task.reason}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function readRss(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (found === undefined) throw new Error(`/proc/${pid}/status has no VmRSS`);
  return (Number(found) * 1024) / MB;
}
