import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { usageOf } from "../../src/core/money/cost.ts";
import { NO_TOKENS } from "../../src/core/task/run.ts";
import type { Run } from "../../src/core/task/run.ts";
import { openAgentNight, type AgentNight } from "./agent-night.ts";
import { programDirOf, REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude } = REAL_AGENTS;
const REAL_PROGRAM = realpathSync(join(programDirOf(claude), "claude"));
const FIRST_REPORT = { outcome: "implemented", summary: "It greets, and something still runs." };
const LAST_REPORT = { outcome: "implemented", summary: "It greets the world, and all has ended." };

test("claude: two results in one run are billed once per request, and the last one counts", async () => {
  const late = { command: "until [ -e go ]; do sleep 0.2; done; echo late > late.txt", description: "try" };
  const night = await openAgentNight(claude, {
    programs: createProgramWithBackgroundTasks(),
    sandbox: `read: [${dirname(REAL_PROGRAM)}]`,
    turns: [
      useTools(claude.create("made.txt", "hello, world")),
      useTools({ name: "Bash", input: { ...late, run_in_background: true } }),
      useTools(claude.report(FIRST_REPORT)),
      { text: "Done, for now." },
      useTools(claude.report(LAST_REPORT)),
      { text: "Done." },
    ],
  });
  const { id } = await night.submit();
  const begun = await waitForFirstResult(night, id);
  writeFileSync(join(night.home, "workspaces", id, begun.id, "go"), "");
  const task = await night.settled(id);
  expect(task, task.reason ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
  expect(await night.published(task, "late.txt")).toBe("late");

  const runs = await night.runs(id);
  const [run] = runs;
  if (run === undefined) throw new Error("expected a run");
  expect(await countResults(night, run)).toBe(2);
  expect(runs.map(({ outcome }) => outcome)).toEqual(["implemented", "checks_passed", "published"]);
  expect(run).toMatchObject({ endedBy: "exit", payload: { summary: LAST_REPORT.summary } });

  const tokens = { input: 6000, output: 300, cacheRead: 0, cacheWrite: 0 };
  const costUsd = expect.closeTo(claude.costUsd * 1.5, 6);
  expect(run).toMatchObject({ costBasis: "metered", costUsd, tokens });
  // The second result repeats the cost of the first, which must not be added twice, even without a gateway.
  const usage = {
    events: await night.events(run),
    metered: [],
    before: { tokens: NO_TOKENS, costUsd: 0 },
    model: null,
    prices: {},
  };
  expect(usageOf(usage)).toEqual({ basis: "reported", costUsd, tokens });
});

/** The real program without the flag that our adapter sets, like a version that does not know it. */
function createProgramWithBackgroundTasks(): string {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-background-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "claude");
  writeFileSync(program, `#!/bin/sh\nunset CLAUDE_CODE_DISABLE_BACKGROUND_TASKS\nexec ${REAL_PROGRAM} "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

async function waitForFirstResult(night: AgentNight, task: string): Promise<Run> {
  for (;;) {
    const [run] = await night.runs(task);
    if (run !== undefined && (await countResults(night, run)) > 0) return run;
    await night.until(task, ({ status }) => ["queued", "running"].includes(status));
    await sleep(50);
  }
}

async function countResults(night: AgentNight, run: Run): Promise<number> {
  const lines = await night.lines(run);
  return lines.filter(({ command, text }) => command === "agent" && text.includes('"type":"result"')).length;
}
