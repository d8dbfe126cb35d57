import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { schedulesOf } from "../../core/schedule/schedule.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { Project } from "../../ports/store.ts";
import { walkedCategories } from "../nightly/start-walk.ts";
import { startTime } from "./schedules.ts";
import { requireProject } from "../commands/require/require-project.ts";
import type { EnginePorts } from "../ports.ts";

const MAX_TIMES = 1_000;

export interface UpcomingRun {
  readonly project: string;
  readonly name: string;
  readonly pipeline: string;
  readonly title: string;
  readonly expression: string;
  readonly timeZone: string;
  /** When it starts. Null if it does not start in this period. */
  readonly at: number | null;
  /** Null for pipelines without `each`. Empty if nothing is scheduled for the day. */
  readonly categories: readonly string[] | null;
}

export interface Upcoming {
  readonly runs: readonly UpcomingRun[];
  /** One sentence for each project whose files cannot be read. */
  readonly problems: readonly string[];
}

/** Upcoming runs, soonest first. Schedules without a start in this period come last. */
export async function listUpcoming(ports: EnginePorts, project: string | null, until: number): Promise<Upcoming> {
  const projects =
    project === null ? await ports.store.projects.listProjects() : [await requireProject(ports.store, project)];
  const runs: UpcomingRun[] = [];
  const problems: string[] = [];
  for (const each of projects) {
    try {
      runs.push(...(await listProjectRuns(ports, each, await ports.projects.lastGood(each), until)));
    } catch (error) {
      problems.push(`${each.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { runs: runs.toSorted((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity)), problems };
}

async function listProjectRuns(
  ports: EnginePorts,
  project: Project,
  settings: Settings,
  until: number,
): Promise<readonly UpcomingRun[]> {
  const runs: UpcomingRun[] = [];
  for (const schedule of schedulesOf(settings)) {
    const pipeline = await findPipeline(ports, project, schedule);
    const times = ports.cron.between(schedule, ports.clock.now(), until, MAX_TIMES);
    for (const at of times.length === 0 ? [null] : times)
      runs.push(toUpcomingRun(ports, { project, settings, schedule, pipeline, at }));
  }
  return runs;
}

/** Null if the pipeline's file is broken. The schedule is listed anyway. */
async function findPipeline(ports: EnginePorts, project: Project, schedule: Schedule): Promise<Pipeline | null> {
  try {
    return (await ports.projects.pipeline(project, schedule.pipeline)).pipeline;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UserError) return null;
    throw error;
  }
}

interface UpcomingParams {
  readonly project: Project;
  readonly settings: Settings;
  readonly schedule: Schedule;
  readonly pipeline: Pipeline | null;
  readonly at: number | null;
}

function toUpcomingRun(ports: EnginePorts, { project, settings, schedule, pipeline, at }: UpcomingParams): UpcomingRun {
  const { name, title, expression, timeZone } = schedule;
  return {
    project: project.name,
    name,
    pipeline: schedule.pipeline,
    title,
    expression,
    timeZone,
    at: at === null ? null : startTime(ports, { project, schedule, at }),
    categories: pipeline === null || at === null ? null : walkedCategories(pipeline, settings, at),
  };
}
