import { openLoopbackForge, type LoopbackForge, type LoopbackParams } from "../../src/testing/forges/loopback-forge.ts";
import type { FakeIssue } from "../../src/testing/forges/forge-world.ts";
import type { Task } from "../../src/core/task/task.ts";
import { expect } from "vitest";
import type { Night } from "./night.ts";
import { openStagedNight, readResult, runStaged, type StagedOptions } from "./staged-night.ts";

export const TOKEN = "ghp-planted-token-of-the-forge";

interface StagedForge {
  readonly night: Night;
  readonly forge: LoopbackForge;
  close(): Promise<void>;
}

/** A night for staged tasks whose project is hosted at a forge on this machine. */
async function openStagedForge(
  options: Pick<LoopbackParams, "kind"> & Omit<StagedOptions, "repo" | "remote" | "env">,
): Promise<StagedForge> {
  const { kind, ...rest } = options;
  const forge = await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "hello\n" } });
  const night = await openStagedNight({
    timeoutMs: 120_000,
    ...rest,
    repo: forge.repo,
    remote: forge.remoteUrl,
    env: { ...process.env, FORGE_TOKEN: TOKEN },
    settings: `forge: { kind: ${kind}, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }\n`,
  });
  return {
    night,
    forge,
    async close() {
      await night.close();
      await forge.close();
    },
  };
}

export interface ForgeRun {
  readonly task: Task;
  readonly forge: LoopbackForge;
  /** What the executor wrote to its report. */
  readonly report: string;
  /** Targets of the requests that were denied. */
  readonly denied: readonly string[];
  close(): Promise<void>;
}

export interface ForgeRunOptions {
  readonly kind?: "github" | "gitlab";
  readonly issues?: readonly FakeIssue[];
}

/** Runs the script as the executor of an approved plan that needs git. Its output is the report. */
export async function executeAtForge(script: string, options: ForgeRunOptions = {}): Promise<ForgeRun> {
  const { kind = "github", issues = [] } = options;
  const { night, forge, close } = await openStagedForge({ kind, execute: `{ ${script}\n} > "$REPORT" 2>&1; true` });
  try {
    for (const issue of issues) forge.openIssue(issue);
    const task = await runStaged(night);
    expect(task).toMatchObject({ status: "succeeded", reason: "done" });
    const report = await readResult(night, task, "reports/out.txt");
    const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    const denied = events.filter(({ type }) => type === "run.denied").map(({ data }) => String(data["target"]));
    return { task, forge, report, denied, close };
  } catch (error) {
    await close();
    throw error;
  }
}
