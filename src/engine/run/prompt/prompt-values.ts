import { CATEGORIES, categoryLabel } from "../../../core/nightly/category.ts";
import type { PromptValues } from "../../../core/prompt/prompt-context.ts";
import { isAddress, withoutCredentials } from "../../../core/forge/remote-address.ts";
import type { Settings } from "../../../core/task/settings.ts";
import type { Items } from "../../../core/task/task.ts";
import type { Project } from "../../../ports/store.ts";
import type { EnginePorts } from "../../ports.ts";

export interface ValuesParams {
  readonly project: Project;
  readonly settings: Settings;
  readonly items: Items | null;
  readonly baseCommit: string | null;
  readonly commands: readonly string[] | null;
  readonly at: number;
}

/** What a prompt's template may say in its sentences. */
export async function promptValues(ports: EnginePorts, params: ValuesParams): Promise<PromptValues> {
  const { project, settings, items, baseCommit, commands, at } = params;
  return {
    project: project.name,
    defaultBranch: settings.defaultBranch ?? project.defaultBranch,
    baseCommit,
    repoUrl: isAddress(project.remote) ? withoutCredentials(project.remote) : null,
    reviewer: settings.forge?.reviewer ?? null,
    commands,
    date: dateIn(settings.timeZone, at),
    category: await categoryOf(ports, items),
    limits: settings.improve,
  };
}

async function categoryOf(ports: EnginePorts, items: Items | null): Promise<PromptValues["category"]> {
  const name = CATEGORIES.find((each) => each === items?.list[items.at]);
  if (items === null || name === undefined) return null;
  return { name, label: categoryLabel(items), guidance: await ports.projects.guidance(name) };
}

function dateIn(timeZone: string, at: number): string {
  // As Canada writes it: year, month, day. A formatter takes ten times as long to make as all the rest of a prompt.
  const calendar = calendars.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  calendars.set(timeZone, calendar);
  return calendar.format(at);
}

const calendars = new Map<string, Intl.DateTimeFormat>();
