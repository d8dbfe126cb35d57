import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { schedulesOf } from "../../core/schedule/schedule.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { ConfigError, UserError } from "../../core/text/errors.ts";
import type { Project } from "../../ports/store.ts";
import { walkedCategories } from "../nightly/start-walk.ts";
import { startOf } from "./schedules.ts";
import { findProject } from "../commands/submit.ts";
import type { EnginePorts } from "../ports.ts";

const MOST = 1_000;

export interface UpcomingRun {
  readonly project: string;
  readonly name: string;
  readonly pipeline: string;
  readonly title: string;
  readonly expression: string;
  readonly timeZone: string;
  /** When it starts; null where it does not come round in that time. */
  readonly at: number | null;
  /** Of a pipeline with `each`; empty where nothing is scheduled for the day. */
  readonly categories: readonly string[] | null;
}

export interface Upcoming {
  readonly runs: readonly UpcomingRun[];
  /** Projects whose files cannot be read, a sentence each. */
  readonly problems: readonly string[];
}

/** What will run when, soonest first. A schedule that does not come round in that time is told too, at the end. */
export async function listUpcoming(ports: EnginePorts, project: string | null, until: number): Promise<Upcoming> {
  const projects = project === null ? await ports.store.projects.listProjects() : [await findProject(ports, project)];
  const runs: UpcomingRun[] = [];
  const problems: string[] = [];
  for (const each of projects) {
    try {
      runs.push(...(await upcomingOf(ports, each, await ports.projects.lastGood(each), until)));
    } catch (error) {
      problems.push(`${each.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { runs: runs.toSorted((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity)), problems };
}

async function upcomingOf(
  ports: EnginePorts,
  project: Project,
  settings: Settings,
  until: number,
): Promise<readonly UpcomingRun[]> {
  const runs: UpcomingRun[] = [];
  for (const schedule of schedulesOf(settings)) {
    const pipeline = await findPipeline(ports, project, schedule);
    const moments = ports.cron.between(schedule, ports.clock.now(), until, MOST);
    for (const at of moments.length === 0 ? [null] : moments)
      runs.push(toRun(ports, { project, settings, schedule, pipeline, at }));
  }
  return runs;
}

/** Null where its file cannot be used: the schedule itself is still worth showing. */
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

function toRun(ports: EnginePorts, { project, settings, schedule, pipeline, at }: UpcomingParams): UpcomingRun {
  const { name, title, expression, timeZone } = schedule;
  return {
    project: project.name,
    name,
    pipeline: schedule.pipeline,
    title,
    expression,
    timeZone,
    at: at === null ? null : startOf(ports, { project, schedule, at }),
    categories: pipeline === null || at === null ? null : walkedCategories(pipeline, settings, at),
  };
}
