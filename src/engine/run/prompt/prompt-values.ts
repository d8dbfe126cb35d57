import { currentCategory } from "../../../core/nightly/category.ts";
import type { PromptValues } from "../../../core/prompt/prompt-context.ts";
import { isAddress, withoutCredentials } from "../../../core/forge/remote-address.ts";
import { maxLinesOf } from "../../../core/pipeline/pipeline-policy.ts";
import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import type { Settings } from "../../../core/settings/settings.ts";
import type { Task } from "../../../core/task/task.ts";
import type { Project } from "../../../ports/store.ts";
import type { EnginePorts } from "../../ports.ts";

export interface ValuesParams {
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly task: Pick<Task, "items">;
  readonly baseCommit: string | null;
  readonly commands: readonly string[] | null;
  readonly at: number;
}

/** Values of the variables that a prompt template can use. */
export async function promptValues(ports: EnginePorts, params: ValuesParams): Promise<PromptValues> {
  const { project, settings, pipeline, task, baseCommit, commands, at } = params;
  const { change } = pipeline.policy;
  return {
    project: project.name,
    defaultBranch: settings.defaultBranch ?? project.defaultBranch,
    baseCommit,
    repoUrl: isAddress(project.remote) ? withoutCredentials(project.remote) : null,
    reviewer: settings.forge?.reviewer ?? null,
    commands,
    date: formatDate(settings.timeZone, at),
    category: await describeCategory(ports, task),
    limits: {
      maxDiffLines: maxLinesOf(change, settings.improve) ?? settings.improve.maxDiffLines,
      avoidRecentCommits: settings.improve.avoidRecentCommits,
      change,
    },
  };
}

async function describeCategory(ports: EnginePorts, task: Pick<Task, "items">): Promise<PromptValues["category"]> {
  const current = currentCategory(task);
  return current === null ? null : { ...current, guidance: await ports.projects.guidance(current.name) };
}

function formatDate(timeZone: string, at: number): string {
  // en-CA formats as year-month-day. Formatters are cached because creating one takes ten times as long as a whole prompt.
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  formatters.set(timeZone, formatter);
  return formatter.format(at);
}

const formatters = new Map<string, Intl.DateTimeFormat>();
