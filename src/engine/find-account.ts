import { stateOfRun } from "../core/pipeline/end-variant.ts";
import type { NextRun } from "../core/pipeline/advance.ts";
import { accountOf, resolveRun, type RunSettings } from "../core/settings/resolve-run.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { Task } from "../core/task/task.ts";
import { pipelineOf } from "./pipeline-of.ts";
import type { EnginePorts } from "./ports.ts";

type AccountPorts = Pick<EnginePorts, "store" | "projects">;

export interface RunAccount {
  readonly account: string;
  readonly run: RunSettings;
  readonly settings: Settings;
}

/** Finds the account that a queued run will use. Null if the run needs no agent, or its settings cannot be used; the run then reports why. */
export async function findAccount(
  ports: AccountPorts,
  task: Pick<Task, "project" | "pipeline" | "pipelineHash" | "options">,
  { state, role }: Pick<NextRun, "state" | "role">,
): Promise<RunAccount | null> {
  if (role === null) return null;
  try {
    const project = await ports.store.projects.getProject(task.project);
    const step = stateOfRun(await pipelineOf(ports, task), { state, role });
    if (project === null || step === undefined) return null;
    const settings = await ports.projects.lastGood(project);
    const run = resolveRun(settings, step.agent, task.options, role);
    return { account: accountOf(run, project.name), run, settings };
  } catch {
    return null;
  }
}
