import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { ALICE, type Night, type NightOptions } from "./night.ts";
import { openStaged, PLAN } from "./staged.ts";

/** Whether this machine has GitHub's CLI. `npm run check` installs it where it can. */
export const HAS_GH = spawnSync("gh", ["--version"]).status === 0;

export interface StagedOptions extends NightOptions {
  /** Changes of the plan, which by default writes to `reports` and needs git. */
  readonly plan?: object;
  /** The executor as a shell script. */
  readonly execute: string;
}

/** A night whose agent plans, and carries out the plan with the script. The script writes to `$REPORT`, which is a file of the result. */
export async function openStagedNight({ plan, execute, ...options }: StagedOptions): Promise<Night> {
  return openStaged({
    plans: [{ ...PLAN, needs_git: true, ...plan }],
    execute: `REPORT=$PWD/reports/out.txt\n${execute}`,
    ...options,
  });
}

/** Submits a staged task, approves its plan and waits for the end. */
export async function runStaged({ submit, settled, commands }: Night): Promise<Task> {
  const waiting = await settled((await submit({ pipeline: "staged" })).id);
  expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" }, plan: { problems: [] } });
  await commands.approve(waiting.id, waiting.planHash, ALICE);
  return settled(waiting.id);
}

/** Reads a file of the task's result. */
export async function readResult(night: Night, task: Task, file: string): Promise<string> {
  await night.commands.apply(task.id, { force: true, dryRun: false }, ALICE);
  return readFile(`${night.repo.checkout}/${file}`, "utf8");
}
