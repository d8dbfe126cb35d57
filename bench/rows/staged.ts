import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, TaskJson } from "../../src/http/client/client.ts";
import { openBareTable } from "../bare-table.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, quantile, timed } from "../statistics.ts";

const SUBMITS = 300;
/** The first submits of a new daemon take up to four times as long, until its code is compiled. They are not part of the measurement. */
const WARM_UP = 20;
const ROUNDS = 20;
const PLAN = {
  outcome: "plan_complete",
  summary: "Write a report.",
  prompt: "Write reports/parsers.md.",
  system_prompt: "",
  tools: ["Write", "Bash"],
  directories: ["reports"],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.1 },
  reasoning: "One file.",
};

/** Each run writes when it started to a file that is named after the task and the role, and reports. */
const AGENT = `FILE=$(dirname "$0")/started-$NIGHTSHIFT_TASK-$NIGHTSHIFT_ROLE
date +%s%N > "$FILE.new"; mv "$FILE.new" "$FILE"
case $NIGHTSHIFT_ROLE in
plan) printf '%s' '${JSON.stringify(PLAN)}' ;;
execute) printf '{"outcome":"completed","summary":"done","result":"done"}' ;;
*) echo more >> README; printf '{"outcome":"implemented","summary":"done"}' ;;
esac > "$NIGHTSHIFT_OUTCOME_FILE"`;

export async function measureStaged(): Promise<readonly Measured[]> {
  return [...(await measureSubmits()), ...(await measureStarts())];
}

/** One client submits one task after the other. The baseline is a round trip and a durable insert into a bare table. */
async function measureSubmits(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exec sleep 600", 1);
  const daemon = await openDaemon(environment);
  const bare = openBareTable(environment);
  try {
    await register(environment, daemon.client);
    const measured = await interleave(WARM_UP + SUBMITS, {
      submit: () => timed(() => submit(daemon.client, "staged")),
      insert: () =>
        timed(async () => {
          await daemon.client.call("GET /healthz");
          bare.insert(0);
        }),
    });
    const row = (name: string, share: number) => ({
      row: "s",
      what: `from the submit of a staged task until it is durable and acknowledged, ${name} (baseline: GET /healthz and a durable insert into SQLite)`,
      unit: "ms" as const,
      value: quantile(measured.submit.slice(WARM_UP), share),
      baseline: quantile(measured.insert.slice(WARM_UP), share),
      target: null,
    });
    const p99 = row("p99", 0.99);
    return [row("p50", 0.5), { ...p99, target: atMost(p99.value, 20, "20 ms") }];
  } finally {
    bare.close();
    await daemon.stop({ force: true });
    environment.remove();
  }
}

/** Tasks run one at a time. Each kind of start is measured in turn. */
async function measureStarts(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(AGENT, 1);
  const daemon = await openDaemon(environment);
  const { client } = daemon;
  let spawned = 0;
  try {
    await register(environment, client);
    const measured = await interleave(ROUNDS, {
      async staged() {
        const { id } = await submit(client, "staged");
        const { plan_hash: hash } = await settled(client, id);
        const start = now();
        await client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash: hash } });
        return measureUntilStarted(environment, client, { id, role: "execute", start });
      },
      async chore() {
        const start = now();
        const { id } = await submit(client, "chore");
        return measureUntilStarted(environment, client, { id, role: "implement", start });
      },
      async spawn() {
        const id = `bare-${spawned++}`;
        const start = now();
        const env = { ...process.env, NIGHTSHIFT_TASK: id, NIGHTSHIFT_ROLE: "x", NIGHTSHIFT_OUTCOME_FILE: "/dev/null" };
        spawn(join(environment.root, "agent.sh"), { env, cwd: environment.root, stdio: "ignore" });
        return measureUntilStarted(environment, null, { id, role: "x", start });
      },
    });
    const [staged, chore, bare] = [median(measured.staged), median(measured.chore), median(measured.spawn)];
    const row = { row: "s", unit: "ms" } as const;
    return [
      {
        ...row,
        what: "from the approval of a staged task to its agent (baseline: plain spawn)",
        value: staged,
        baseline: bare,
        target: atMost(staged, 1.1 * chore, "1.1 × the chore's"),
      },
      {
        ...row,
        what: "from the submit of a chore to its agent (baseline: plain spawn)",
        value: chore,
        baseline: bare,
        target: null,
      },
    ];
  } finally {
    await daemon.stop({ force: true });
    environment.remove();
  }
}

const now = (): number => performance.timeOrigin + performance.now();

async function submit(client: Client, pipeline: string): Promise<TaskJson> {
  return client.call("POST /tasks", { body: { project: PROJECT, pipeline, description: "Compare the parsers" } });
}

/** Waits until the task has ended or waits for a person. */
async function settled(client: Client, id: string): Promise<TaskJson> {
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    if (task.status === "failed") throw new Error(`task ${id}: ${task.reason ?? "no reason"}`);
    if (task.status === "waiting" || task.status === "succeeded") return task;
    await sleep(20);
  }
}

/** Returns the time until the agent started, after everything that was begun has ended. */
async function measureUntilStarted(
  environment: BenchEnvironment,
  client: Client | null,
  { id, role, start }: { readonly id: string; readonly role: string; readonly start: number },
): Promise<number> {
  const file = join(environment.root, `started-${id}-${role}`);
  while (!existsSync(file)) await sleep(20);
  if (client !== null) while ((await settled(client, id)).status !== "succeeded") await sleep(20);
  return Number(readFileSync(file, "utf8")) / 1e6 - start;
}
