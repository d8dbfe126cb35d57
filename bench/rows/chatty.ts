import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { homePaths } from "../../src/config/files/paths.ts";
import type { Client } from "../../src/http/client/client.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { inLanes, quantile, timed } from "../statistics.ts";

const TASKS = 50;
const LINES_PER_SECOND = 200;
const SECONDS = 10;
const LINES = LINES_PER_SECOND * SECONDS;

/** In Perl, which can sleep without a process. All agents begin at once. */
const chattyAgent = (go: string): string => `exec perl -MTime::HiRes=time,sleep -e '
$| = 1; print "ready\\n"; sleep 0.1 until -e $ARGV[0];
my ($start, $line) = (time, 0);
while ($line < ${LINES}) {
  my $due = (time - $start) * ${LINES_PER_SECOND};
  print "line ", $line++, " of a chatty agent that explains everything it does\\n" while $line < $due && $line < ${LINES};
  sleep 0.05;
}
open my $out, ">", $ENV{NIGHTSHIFT_OUTCOME_FILE}; print $out q({"outcome":"implemented","summary":"talked"});
open my $file, ">>", "README"; print $file "more\n";
open my $end, ">", "$ARGV[0]-$ENV{NIGHTSHIFT_TASK}"; print $end time - $start;
' ${go}`;

/** Many agents print at once. Every line must be in the output that the API returns, in order. */
export async function measureChatty(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exit 1", TASKS);
  const go = join(environment.root, "go");
  writeFileSync(join(environment.root, "agent.sh"), `#!/bin/sh\n${chattyAgent(go)}\n`);
  const daemon = await openDaemon(environment);
  const { client } = daemon;
  try {
    await register(environment, client);
    const ids: string[] = [];
    for (let count = 0; count < TASKS; count += 1) {
      const body = { project: PROJECT, pipeline: "chore", description: "Talk" };
      ids.push((await client.call("POST /tasks", { body })).id);
    }
    await waitForAgents(environment);
    writeFileSync(go, "");
    const trips: number[] = [];
    while (!ids.every((id) => existsSync(`${go}-${id}`))) {
      trips.push(await timed(() => client.call("GET /tasks")));
      await sleep(50);
    }
    const times = ids.map((id) => Number(readFileSync(`${go}-${id}`, "utf8")) * 1000);
    let lost = 0;
    await inLanes(4, TASKS, async (index) => (lost += await countLost(client, ids[index] ?? "")));
    const row = { row: "t", baseline: null, target: null, unit: "ms" } as const;
    const what = `${TASKS} agents that print ${LINES_PER_SECOND} lines/s each for ${SECONDS} s`;
    return [
      {
        ...row,
        what: `${what}: lines that are lost, of ${TASKS * LINES}`,
        unit: "lines",
        value: lost,
        target: atMost(lost, 0, "none"),
      },
      { ...row, what: `${what}: time of the slowest agent`, value: Math.max(...times), baseline: SECONDS * 1000 },
      { ...row, what: `${what}: GET /tasks meanwhile, p50`, value: quantile(trips, 0.5) },
      { ...row, what: `${what}: GET /tasks meanwhile, p99`, value: quantile(trips, 0.99) },
    ];
  } finally {
    await daemon.stop({ force: true });
    environment.remove();
  }
}

/** Each agent waits for the signal after its first line. */
async function waitForAgents(environment: BenchEnvironment): Promise<void> {
  const { runs } = homePaths(environment.home);
  const ready = (run: string): boolean => {
    const file = join(runs, run, "transcript.jsonl");
    return existsSync(file) && readFileSync(file, "utf8").includes("ready");
  };
  while (!existsSync(runs) || readdirSync(runs).filter(ready).length < TASKS) await sleep(200);
}

/** Reads the whole output of the task's agent and returns how many lines are missing or not in their place. */
async function countLost(client: Client, id: string): Promise<number> {
  const [run] = (await client.call("GET /runs", { query: { task: id } })).runs.filter(
    ({ role }) => role === "implement",
  );
  if (run === undefined) throw new Error(`task ${id} has no agent`);
  let found = 0;
  for (let offset = 0; ;) {
    const query = { offset, raw: "true" };
    const page = await client.call("GET /runs/:id/output", { params: { id: run.id }, query });
    for (const { text } of page.lines) if (text?.startsWith(`line ${found} `)) found += 1;
    if (page.ended) return LINES - found;
    if (page.next === offset) await sleep(100);
    offset = page.next;
  }
}
