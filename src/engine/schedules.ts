import { ConfigError, UserError } from "../core/errors.ts";
import { SYSTEM, type EventDraft } from "../core/event.ts";
import { isChanged, jitterOf, schedulesOf, type Schedule, type ScheduleMark } from "../core/schedule.ts";
import { hasEnded, type Task } from "../core/task.ts";
import type { Project } from "../ports/store.ts";
import type { TaskDraft } from "./commands-contract.ts";
import { noticesFor } from "./notices.ts";
import type { EnginePorts } from "./ports.ts";
import { submit } from "./submit.ts";

const MOST_MISSED = 400;
/** What starts later than this after its moment was missed: somebody should know. */
const LATE_MS = 15 * 60_000;
/** A mark so far ahead was made while the clock was wrong. */
const WRONG_CLOCK_MS = 86_400_000;

/**
 * Starts what is due, of every project. May be called at any time and again after a crash: the moment is part of the task's
 * key, so that it makes one task, and the mark moves on only after that.
 */
export async function startDue(ports: EnginePorts): Promise<void> {
  for (const project of await ports.store.listProjects()) {
    const settings = await ports.projects.lastGood(project).catch((error: unknown) => untold(error));
    if (settings === null) continue;
    for (const schedule of schedulesOf(settings)) await startSchedule(ports, project, schedule);
  }
}

/** Files that cannot be read are told of where the limits are read; here there is nothing to start. */
function untold(error: unknown): null {
  if (error instanceof ConfigError || error instanceof UserError) return null;
  throw error;
}

async function startSchedule(ports: EnginePorts, project: Project, schedule: Schedule): Promise<void> {
  const now = ports.clock.now();
  const mark = await currentMark(ports, project, schedule, now);
  const due = dueMoments(ports, schedule, mark, now);
  const newest = due.at(-1);
  if (newest === undefined) return;
  const events: EventDraft[] = [];
  const running = await openTask(ports, mark);
  const task = running === null ? await makeTask(ports, { project, schedule, at: newest }) : null;
  if (running !== null) events.push(skipped(schedule, newest, running, now));
  if (task !== null && (due.length > 1 || now - newest > LATE_MS)) events.push(missed({ schedule, due, task, now }));
  const notices = task === null ? [] : await noticesFor(ports, { task, events });
  await ports.store.saveMark({ ...mark, at: newest, task: (task ?? running)?.id ?? null }, { events, notices });
}

/** A schedule that is new, or not the same any more, begins now: nothing of its past was missed. */
async function currentMark(
  ports: EnginePorts,
  project: Project,
  schedule: Schedule,
  now: number,
): Promise<ScheduleMark> {
  const known = await ports.store.getMark(project.name, schedule.name);
  if (known !== null && !isChanged(known, schedule) && known.at <= now + WRONG_CLOCK_MS) return known;
  const { name, expression, timeZone } = schedule;
  const mark = { project: project.name, name, expression, timeZone, at: now, task: known?.task ?? null };
  await ports.store.saveMark(mark, { events: [], notices: [] });
  return mark;
}

function dueMoments(ports: EnginePorts, schedule: Schedule, mark: ScheduleMark, now: number): readonly number[] {
  const moments = ports.cron.between(schedule, mark.at, now, MOST_MISSED);
  return moments.filter((at) => at + jitterOf(schedule, at, ports.digest) <= now);
}

async function openTask({ store }: EnginePorts, mark: ScheduleMark): Promise<Task | null> {
  const task = mark.task === null ? null : await store.getTask(mark.task);
  return task === null || hasEnded(task) ? null : task;
}

interface Due {
  readonly project: Project;
  readonly schedule: Schedule;
  readonly at: number;
}

async function makeTask(ports: EnginePorts, { project, schedule, at }: Due): Promise<Task | null> {
  const { name, pipeline } = schedule;
  try {
    return await submit(
      ports,
      {
        ...draftOf(project.name, schedule),
        improve: pipeline === "improve" ? { category: null, only: false, scheduledAt: at } : null,
        key: `schedule ${project.name} ${name} ${new Date(at).toISOString()}`,
      },
      SYSTEM,
    );
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof ConfigError)) throw error;
    await ports.store.appendEvents([refused(schedule, project, error, ports.clock.now())]);
    return null;
  }
}

/** What a schedule hands over. */
export function draftOf(project: string, schedule: Schedule): TaskDraft {
  const { pipeline, title, description, autoApprove } = schedule;
  return {
    project,
    pipeline,
    title,
    description,
    priority: "normal",
    size: null,
    complexity: null,
    tags: [],
    agent: null,
    model: null,
    timeoutMs: null,
    budgetUsd: null,
    autoApprove,
    design: false,
    improve: null,
    key: null,
  };
}

function refused({ name }: Schedule, project: Project, error: Error, at: number): EventDraft {
  return {
    ...about(at),
    type: "schedule.refused",
    level: "error",
    summary: `"${name}" of ${project.name} could not be started: ${error.message}`,
    data: { schedule: name, project: project.name },
  };
}

function skipped({ name }: Schedule, moment: number, running: Task, at: number): EventDraft {
  return {
    ...about(at),
    task: running.id,
    type: "schedule.skipped",
    level: "warning",
    summary: `"${name}" of ${when(moment)} was left out: ${running.id} of the time before has not ended`,
    data: { schedule: name, moment },
  };
}

interface Missed {
  readonly schedule: Schedule;
  readonly due: readonly number[];
  readonly task: Task;
  readonly now: number;
}

function missed({ schedule: { name }, due, task, now }: Missed): EventDraft {
  const [first = now] = due;
  const which = due.length === 1 ? when(first) : `${due.length} times since ${when(first)}`;
  return {
    ...about(now),
    task: task.id,
    type: "schedule.missed",
    level: "warning",
    summary: `"${name}" should have run ${which}, but Nightshift was not running; it runs now, once`,
    data: { schedule: name, missed: due },
  };
}

function about(at: number) {
  return { at, task: null, run: null, actor: SYSTEM } as const;
}

function when(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ") + " UTC";
}
