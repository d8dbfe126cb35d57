import { ConfigError, UserError } from "../../core/text/errors.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import {
  isChanged,
  jitterOf,
  schedulesOf,
  type Schedule,
  type ScheduleProgress,
} from "../../core/schedule/schedule.ts";
import { ENDED_STATUSES, hasEnded, TASK_STATUSES, type Task } from "../../core/task/task.ts";
import type { NewNotice, Page, Project } from "../../ports/store.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { endParked } from "./end-parked.ts";
import { draftOf } from "../commands/draft-task.ts";
import { noticesFor, refusalNotices } from "../deliver/notices.ts";
import type { EnginePorts } from "../ports.ts";
import { missed, MAX_MISSED, refused, skipped, type DueSchedule, type ScheduledTime } from "./schedule-events.ts";
import { submit } from "../commands/submit.ts";

/** What starts later than this after its moment was missed: somebody should know. */
const LATE_MS = 15 * 60_000;
/** A mark so far ahead was made while the clock was wrong. */
const WRONG_CLOCK_MS = 86_400_000;
const TELL_AGAIN_MS = 12 * 3_600_000;
const OPEN = TASK_STATUSES.filter((status) => !ENDED_STATUSES.includes(status));
const PAGE = 200;

/**
 * Starts what is due, of every project. May be called at any time and again after a crash: the moment is part of the task's
 * key, so that it makes one task, and the mark moves on only after that.
 */
export async function startDue(ports: EnginePorts): Promise<void> {
  const troubles: unknown[] = [];
  for (const project of await ports.store.projects.listProjects())
    // Of one project: it is tried again, and costs no other its night.
    await startProject(ports, project).catch((error: unknown) => troubles.push(error));
  if (troubles.length > 0) throw troubles[0];
}

async function startProject(ports: EnginePorts, project: Project): Promise<void> {
  const found = await readSchedules(ports, project);
  if (found === null) return;
  const marks = await ports.store.schedules.listProgress(project.name);
  if (found.areCurrent)
    for (const mark of marks)
      if (!found.schedules.some(({ name }) => name === mark.name)) await ports.store.schedules.dropProgress(mark);
  for (const schedule of found.schedules) {
    const known = marks.find(({ name }) => name === schedule.name) ?? null;
    await startSchedule(ports, { project, schedule, known });
  }
}

interface Found {
  readonly schedules: readonly Schedule[];
  /** False: the files cannot be used now, and these are those that they named before. */
  readonly areCurrent: boolean;
}

/** Null where there are none. That files cannot be read is told of where the limits are read. */
async function readSchedules({ projects }: EnginePorts, project: Project): Promise<Found | null> {
  try {
    return { schedules: schedulesOf(await projects.settings(project)), areCurrent: true };
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  try {
    return { schedules: schedulesOf(await projects.lastGood(project)), areCurrent: false };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}

/** Would be the same the next time; what is not available now, say the store, may be then. */
function isRefusal(error: unknown): error is Error {
  return error instanceof ConfigError || (error instanceof UserError && error.kind !== "unavailable");
}

interface Planned {
  readonly project: Project;
  readonly schedule: Schedule;
  readonly known: ScheduleProgress | null;
}

async function startSchedule(ports: EnginePorts, planned: Planned): Promise<void> {
  const now = ports.clock.now();
  const mark = await currentMark(ports, planned, now);
  const due = dueMoments(ports, planned, mark, now);
  const newest = due.at(-1);
  if (newest === undefined) return;
  const { task, ...told } = await dealWith(ports, { ...planned, progress: mark, due, at: newest, now });
  await ports.store.schedules.saveProgress({ ...mark, at: newest, task: task?.id ?? null }, told);
}

/** A schedule that is new, or not the same any more, begins now: nothing of its past was missed. */
async function currentMark(
  { store }: EnginePorts,
  { project, schedule, known }: Planned,
  now: number,
): Promise<ScheduleProgress> {
  if (known !== null && !isChanged(known, schedule) && known.at <= now + WRONG_CLOCK_MS) return known;
  const { name, expression, timeZone } = schedule;
  const mark = { project: project.name, name, expression, timeZone, at: now, task: known?.task ?? null };
  await store.schedules.saveProgress(mark, { events: [], notices: [] });
  return mark;
}

function dueMoments(
  ports: EnginePorts,
  { project, schedule }: Planned,
  mark: ScheduleProgress,
  now: number,
): readonly number[] {
  const moments = ports.cron.latest(schedule, mark.at, now, MAX_MISSED);
  return moments.filter((at) => startOf(ports, { project, schedule, at }) <= now);
}

/** When what is scheduled for this moment starts. */
export function startOf({ cron, digest }: Pick<EnginePorts, "cron" | "digest">, moment: ScheduledTime): number {
  const { project, schedule, at } = moment;
  if (schedule.jitterMs === 0) return at;
  return at + jitterOf({ project: project.name, schedule, at, next: cron.next(schedule, at) }, digest);
}

interface Dealt {
  /** What was started, or is still under way. */
  readonly task: Task | null;
  readonly events: readonly EventDraft[];
  readonly notices: readonly NewNotice[];
}

async function dealWith(ports: EnginePorts, due: DueSchedule): Promise<Dealt> {
  const { key, made } = await keyFor(ports, due);
  // What was made for this very moment, before a crash, is in nobody's way.
  const running = made === null ? await findRunning(ports, due) : null;
  if (running !== null) return leaveOut(ports, due, running);
  try {
    const task = made ?? (await submit(ports, draftFor(due, key), SYSTEM));
    const isLate = due.due.length > 1 || due.now - startOf(ports, due) > LATE_MS;
    const events = isLate ? [missed(due, task)] : [];
    return { task, events, notices: await noticesFor(ports, { task, events }) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const event = refused(due, ports.secrets.redact(error.message));
    const isNew = due.progress.task !== null || isWorthTelling(due);
    return { task: null, events: [event], notices: isNew ? refusalNotices(ports, due, event) : [] };
  }
}

/**
 * The moment's own, so that it makes one task. What has it and ended long ago was made by a clock that was wrong: that moment
 * comes only now, and is not to be lost.
 */
async function keyFor(ports: EnginePorts, { project, schedule, at }: ScheduledTime): Promise<KeyOfMoment> {
  const first = `schedule ${project.name} ${schedule.name} ${new Date(at).toISOString()}`;
  for (let time = 1; ; time += 1) {
    const key = time === 1 ? first : `${first} ${time}`;
    const made = await ports.store.tasks.getTaskByKey(key);
    if (made === null || !isOver(made)) return { key, made };
  }
}

interface KeyOfMoment {
  readonly key: string;
  readonly made: Task | null;
}

/** Not of what ended as it was made, having nothing to do: a crash may have come right after that. */
function isOver({ createdAt, finishedAt }: Task): boolean {
  return finishedAt !== null && finishedAt > createdAt;
}

/** What has to end before the schedule's next task starts. With `schedule: alone` that is any other, whoever started it. */
async function findRunning(
  ports: EnginePorts,
  { project, schedule, progress: mark }: DueSchedule,
): Promise<Task | null> {
  if (!(await startsAlone(ports, project, schedule))) {
    const task = mark.task === null ? null : await ports.store.tasks.getTask(mark.task);
    return task === null || hasEnded(task) ? null : task;
  }
  for (const task of await openTasks(ports, project, schedule)) if (!(await endParked(ports, task))) return task;
  return null;
}

async function startsAlone(
  { projects }: EnginePorts,
  project: Project,
  { pipeline: name }: Schedule,
): Promise<boolean> {
  try {
    const { pipeline } = await projects.pipeline(project, name);
    return pipeline.policy.schedule === "alone";
  } catch (error) {
    // Submitting the task says what is wrong with the file.
    if (isRefusal(error)) return false;
    throw error;
  }
}

async function openTasks({ store }: EnginePorts, { name }: Project, schedule: Schedule): Promise<readonly Task[]> {
  const open: Task[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<Task> = await store.tasks.listTasks({
      status: OPEN,
      state: null,
      project: name,
      cursor,
      limit: PAGE,
    });
    open.push(...page.rows.filter(({ pipeline }) => pipeline === schedule.pipeline));
    if (page.next === null) return open;
    cursor = page.next;
  }
}

async function leaveOut(ports: EnginePorts, due: DueSchedule, running: Task): Promise<Dealt> {
  const events = [skipped(due, running)];
  return {
    task: running,
    events,
    notices: isWorthTelling(due) ? await noticesFor(ports, { task: running, events }) : [],
  };
}

/** Of what comes round every few minutes, nobody wants to hear each time. */
function isWorthTelling({ progress: mark, at }: DueSchedule): boolean {
  return Math.floor(mark.at / TELL_AGAIN_MS) !== Math.floor(at / TELL_AGAIN_MS);
}

function draftFor({ project, schedule, at }: ScheduledTime, key: string): TaskDraft {
  // The moment decides the weekday of a list; pipelines without one ignore it.
  return { ...draftOf(project.name, schedule), improve: { category: null, only: false, scheduledAt: at }, key };
}
