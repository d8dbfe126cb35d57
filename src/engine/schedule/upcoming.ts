import { categoriesAt, NIGHTLY, schedulesOf } from "../../core/schedule/schedule.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import type { Settings } from "../../core/task/settings.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Project } from "../../ports/store.ts";
import { draftOf } from "../commands/draft-task.ts";
import { startOf } from "./schedules.ts";
import { findProject, submit } from "../commands/submit.ts";
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
  /** Of a nightly improvement; empty where nothing is scheduled for the day. */
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
      runs.push(...upcomingOf(ports, each, await ports.projects.lastGood(each), until));
    } catch (error) {
      problems.push(`${each.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { runs: runs.toSorted((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity)), problems };
}

function upcomingOf(ports: EnginePorts, project: Project, settings: Settings, until: number): readonly UpcomingRun[] {
  return schedulesOf(settings).flatMap((schedule) => {
    const moments = ports.cron.between(schedule, ports.clock.now(), until, MOST);
    const runs = moments.length === 0 ? [null] : moments;
    return runs.map((at) => toRun(ports, { project, settings, schedule, at }));
  });
}

interface Moment {
  readonly project: Project;
  readonly settings: Settings;
  readonly schedule: Schedule;
  readonly at: number | null;
}

function toRun(ports: EnginePorts, { project, settings, schedule, at }: Moment): UpcomingRun {
  const { name, pipeline, title, expression, timeZone } = schedule;
  return {
    project: project.name,
    name,
    pipeline,
    title,
    expression,
    timeZone,
    at: at === null ? null : startOf(ports, { project, schedule, at }),
    categories: name === NIGHTLY && at !== null ? categoriesAt(settings, at) : null,
  };
}

export interface RunNow {
  readonly project: string;
  readonly name: string;
  readonly key: string | null;
}

/** A schedule's work, now: its own times stay as they are. */
export async function runScheduled(ports: EnginePorts, { project, name, key }: RunNow, actor: Actor): Promise<Task> {
  const settings = await ports.projects.settings(await findProject(ports, project));
  const schedules = schedulesOf(settings);
  const schedule = schedules.find((each) => each.name === name);
  if (schedule === undefined) {
    const known = schedules.map((each) => each.name).join(", ") || "none";
    throw new UserError(
      "not_found",
      `${project} has no schedule "${name}"; there are: ${known}.`,
      "nightshift schedule lists them",
    );
  }
  return submit(ports, { ...draftOf(project, schedule), key }, actor);
}
