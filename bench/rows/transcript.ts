import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/http/client/client.ts";
import { createBenchEnvironment, openDaemon, PROJECT, register, type BenchEnvironment } from "../environment.ts";
import { readMemory } from "../read-memory.ts";
import { atMost, type Measured } from "../report.ts";

const SAMPLE = new URL("../../src/adapters/agents/claude-code/fixtures/claude-full-profile.jsonl", import.meta.url);
const WARM_BYTES = 1_000_000;
const TOTAL_BYTES = 200_000_000;
const MB = 1_000_000;

/**
 * Measures how much the daemon's peak memory grows for a run that prints 200 MB, compared with one that printed 1 MB. A fake
 * `claude` prints a real transcript repeatedly; everything else is real: the supervisor with its 50 MB limit, a client that
 * follows the output through the API, and the engine that reads the stored transcript.
 */
export async function measureTranscript(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment("exit 1", 2);
  const folder = plantClaude(environment);
  const env = { PATH: [folder, process.env["PATH"]].join(delimiter), ANTHROPIC_API_KEY: "key-of-the-bench" };
  const daemon = await openDaemon(environment, env);
  try {
    await register(environment, daemon.client);
    await play(environment, daemon.client, WARM_BYTES);
    await sleep(2_000);
    const before = readMemory(daemon.pid, "status", "VmRSS");
    // Resets the kernel's peak value.
    writeFileSync(`/proc/${daemon.pid}/clear_refs`, "5");
    const read = await play(environment, daemon.client, TOTAL_BYTES);
    const grown = readMemory(daemon.pid, "status", "VmHWM") - before;
    const what = `growth of the daemon's peak RSS, a run that prints 200 MB (${(read / MB).toFixed(0)} MB stored and followed)`;
    return [{ row: "k", unit: "MB", what, value: grown, baseline: null, target: atMost(grown, 50, "50 MB") }];
  } finally {
    await daemon.stop();
    environment.remove();
  }
}

/** The last line, the result, may occur only once. */
function plantClaude(environment: BenchEnvironment): string {
  const folder = join(environment.root, "bin");
  const [all, result] = [join(environment.root, "lines.jsonl"), join(environment.root, "result.jsonl")];
  const lines = readFileSync(SAMPLE, "utf8").trimEnd().split("\n");
  const block = `${lines.slice(0, -1).join("\n")}\n`;
  mkdirSync(folder);
  writeFileSync(all, block.repeat(Math.ceil(MB / block.length)));
  writeFileSync(result, `${lines.at(-1) ?? ""}\n`);
  writeFileSync(
    join(folder, "claude"),
    `#!/bin/sh
if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit; fi
cat > /dev/null
echo "$NIGHTSHIFT_TASK" >> README
printf '{"outcome":"implemented","summary":"Changed a line"}' > "$NIGHTSHIFT_OUTCOME_FILE"
for each in $(seq $(cat ${join(environment.root, "times")})); do cat ${all}; done
cat ${result}
`,
    { mode: 0o755 },
  );
  const settings = { project: PROJECT, agent: "claude-code", checks: { test: { command: "true" } } };
  writeFileSync(join(environment.root, "repo", "nightshift.yaml"), JSON.stringify(settings));
  return folder;
}

/** Runs one task while a client follows its output. Returns the number of bytes that were available. */
async function play(environment: BenchEnvironment, client: Client, bytes: number): Promise<number> {
  writeFileSync(join(environment.root, "times"), String(Math.ceil(bytes / MB)));
  const { id } = await client.call("POST /tasks", {
    body: { project: PROJECT, pipeline: "chore", description: "Talk" },
  });
  let offset = 0;
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    const [run] = (await client.call("GET /runs", { query: { task: id } })).runs;
    if (run !== undefined) offset = await readAlong(client, run.id, offset);
    if (task.status === "succeeded") return offset;
    if (task.status === "failed") throw new Error(`task ${id}: ${task.reason ?? "no reason"}`);
    await sleep(100);
  }
}

async function readAlong(client: Client, run: string, from: number): Promise<number> {
  for (let offset = from; ;) {
    const { next } = await client.call("GET /runs/:id/output", {
      params: { id: run },
      query: { offset },
    });
    if (next === offset) return next;
    offset = next;
  }
}
