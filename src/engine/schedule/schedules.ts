import { ConfigError, UserError } from "../../core/text/errors.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import {
  isChanged,
  jitterOf,
  schedulesOf,
  utcMinute,
  type Schedule,
  type ScheduleProgress,
} from "../../core/schedule/schedule.ts";
import { hasEnded, OPEN_STATUSES, type Task, type QueueReason } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import type { NewNotice, Page, Project } from "../../ports/store.ts";
import { draftScheduledTask } from "../commands/draft-task.ts";
import { noticesFor, refusalNotices, findFirstQueued } from "../deliver/notices.ts";
import type { EnginePorts } from "../ports.ts";
import { missedEvent, MAX_MISSED, refusedEvent, skippedEvent, type DueSchedule, type ScheduledTime } from "./events.ts";
import { submit } from "../commands/submit.ts";
import { cleanUp } from "../run/conclude/clean-up.ts";
import { endNow } from "../commands/task-commands.ts";
import { transact } from "../transact.ts";

/** A start later than this after the scheduled time counts as missed and is reported. */
const LATE_MS = 15 * 60_000;
/** Progress further in the future than this was saved while the clock was wrong. */
const WRONG_CLOCK_MS = 86_400_000;
const NOTIFY_EVERY_MS = 12 * 3_600_000;
const PAGE = 200;

/**
 * Starts the due schedules of all projects. Safe to call at any time, also after a crash: the scheduled time is part of the
 * task's key, so it creates one task, and the progress is saved only after that.
 */
export async function startDueSchedules(ports: EnginePorts): Promise<void> {
  const errors: unknown[] = [];
  for (const project of await ports.store.projects.listProjects())
    // An error in one project must not affect the others.
    await startProject(ports, project).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function startProject(ports: EnginePorts, project: Project): Promise<void> {
  const found = await readSchedules(ports, project);
  if (found === null) return;
  const saved = await ports.store.schedules.listProgress(project.name);
  if (found.areCurrent)
    for (const each of saved)
      if (!found.schedules.some(({ name }) => name === each.name)) await ports.store.schedules.dropProgress(each);
  for (const schedule of found.schedules) {
    const known = saved.find(({ name }) => name === schedule.name) ?? null;
    await startSchedule(ports, { project, schedule, known });
  }
}

interface ProjectSchedules {
  readonly schedules: readonly Schedule[];
  /** False if the files are broken now. The schedules are then those of the last good settings. */
  readonly areCurrent: boolean;
}

/** Null if the project never had valid settings. Broken files are reported elsewhere. */
async function readSchedules({ projects }: EnginePorts, project: Project): Promise<ProjectSchedules | null> {
  try {
    return { schedules: schedulesOf(await projects.settings(project)), areCurrent: true };
  } catch (error) {
    if (!isPermanent(error)) throw error;
  }
  try {
    return { schedules: schedulesOf(await projects.lastGood(project)), areCurrent: false };
  } catch (error) {
    if (!isPermanent(error)) throw error;
    return null;
  }
}

/** True if a retry would fail in the same way. */
function isPermanent(error: unknown): error is Error {
  return error instanceof ConfigError || (error instanceof UserError && error.kind !== "unavailable");
}

interface ScheduleParams {
  readonly project: Project;
  readonly schedule: Schedule;
  readonly known: ScheduleProgress | null;
}

async function startSchedule(ports: EnginePorts, params: ScheduleParams): Promise<void> {
  const now = ports.clock.now();
  const progress = await currentProgress(ports, params, now);
  const due = listDueTimes(ports, params, progress, now);
  const newest = due.at(-1);
  if (newest === undefined) return;
  const { task, ...messages } = await startOrSkip(ports, { ...params, progress, due, at: newest, now });
  await ports.store.schedules.saveProgress({ ...progress, at: newest, task: task?.id ?? null }, messages);
}

/** A new or changed schedule starts now, so it has no missed times. */
async function currentProgress(
  { store }: EnginePorts,
  { project, schedule, known }: ScheduleParams,
  now: number,
): Promise<ScheduleProgress> {
  if (known !== null && !isChanged(known, schedule) && known.at <= now + WRONG_CLOCK_MS) return known;
  const { name, expression, timeZone } = schedule;
  const progress = { project: project.name, name, expression, timeZone, at: now, task: known?.task ?? null };
  await store.schedules.saveProgress(progress, { events: [], notices: [] });
  return progress;
}

function listDueTimes(
  ports: EnginePorts,
  { project, schedule }: ScheduleParams,
  progress: ScheduleProgress,
  now: number,
): readonly number[] {
  const times = ports.cron.latest(schedule, progress.at, now, MAX_MISSED);
  return times.filter((at) => startTime(ports, { project, schedule, at }) <= now);
}

/** The scheduled time plus jitter. */
export function startTime({ cron, digest }: Pick<EnginePorts, "cron" | "digest">, time: ScheduledTime): number {
  const { project, schedule, at } = time;
  if (schedule.jitterMs === 0) return at;
  return at + jitterOf({ project: project.name, schedule, at, next: cron.next(schedule, at) }, digest);
}

interface StartResult {
  /** The new task, or the unfinished one because of which this time was skipped. */
  readonly task: Task | null;
  readonly events: readonly EventDraft[];
  readonly notices: readonly NewNotice[];
}

async function startOrSkip(ports: EnginePorts, due: DueSchedule): Promise<StartResult> {
  const { key, existing } = await findKey(ports, due);
  // A task that was created for this time before a crash does not block itself.
  const running = existing === null ? await findRunning(ports, due) : null;
  if (running !== null) return skip(ports, due, running);
  try {
    const task = existing ?? (await submit(ports, draftFor(due, key), SYSTEM));
    const isLate = due.due.length > 1 || due.now - startTime(ports, due) > LATE_MS;
    const events = isLate ? [missedEvent(due, task)] : [];
    return { task, events, notices: await noticesFor(ports, { task, events }) };
  } catch (error) {
    if (!isPermanent(error)) throw error;
    const event = refusedEvent(due, ports.secrets.redact(error.message));
    const isReported = due.progress.task !== null || shouldNotify(due);
    return { task: null, events: [event], notices: isReported ? refusalNotices(ports, due, event) : [] };
  }
}

/**
 * The key of this scheduled time, so that it creates one task. If a task with the key has already run, it was created while
 * the clock was wrong, and the key gets a number.
 */
async function findKey(ports: EnginePorts, { project, schedule, at }: ScheduledTime): Promise<ScheduleKey> {
  const first = `schedule ${project.name} ${schedule.name} ${new Date(at).toISOString()}`;
  for (let time = 1; ; time += 1) {
    const key = time === 1 ? first : `${first} ${time}`;
    const existing = await ports.store.tasks.getTaskByKey(key);
    if (existing === null || !hasRun(existing)) return { key, existing };
  }
}

interface ScheduleKey {
  readonly key: string;
  readonly existing: Task | null;
}

/** False for a task that ended when it was created because it had nothing to do; a crash may have followed right after. */
function hasRun({ createdAt, finishedAt }: Task): boolean {
  return finishedAt !== null && finishedAt > createdAt;
}

/** The task that must end before the schedule's next one starts. With `schedule: alone`, any unfinished task of the pipeline. */
async function findRunning(ports: EnginePorts, { project, schedule, progress }: DueSchedule): Promise<Task | null> {
  if (!(await startsAlone(ports, project, schedule))) {
    const task = progress.task === null ? null : await ports.store.tasks.getTask(progress.task);
    return task === null || hasEnded(task) ? null : task;
  }
  for (const task of await openTasks(ports, project, schedule)) if (!(await endParkedTask(ports, task))) return task;
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
    // Submitting the task reports what is wrong with the file.
    if (isPermanent(error)) return false;
    throw error;
  }
}

async function openTasks({ store }: EnginePorts, { name }: Project, schedule: Schedule): Promise<readonly Task[]> {
  const open: Task[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<Task> = await store.tasks.listTasks({
      status: OPEN_STATUSES,
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

async function skip(ports: EnginePorts, due: DueSchedule, running: Task): Promise<StartResult> {
  const events = [skippedEvent(due, running)];
  return {
    task: running,
    events,
    notices: shouldNotify(due) ? await noticesFor(ports, { task: running, events }) : [],
  };
}

/** Limits notices for schedules that run every few minutes. */
function shouldNotify({ progress, at }: DueSchedule): boolean {
  return Math.floor(progress.at / NOTIFY_EVERY_MS) !== Math.floor(at / NOTIFY_EVERY_MS);
}

function draftFor({ project, schedule, at }: ScheduledTime, key: string): TaskDraft {
  // The scheduled time decides the weekday of a list. Pipelines without a list ignore it.
  const improve = { category: null, only: false, scheduledAt: at };
  return { ...draftScheduledTask(project.name, schedule), improve, key };
}

const WAITED_FOR: Readonly<Record<QueueReason, string>> = {
  quota: "its agent's quota",
  login: "a login",
  program: "the program of its agent",
  provider: "an unreachable provider",
  remote: "its remote",
  machine: "this machine",
  budget: "its budget",
  window: "its time window",
  dependency: "another task",
  variants: "its variants",
  capacity: "capacity on this machine",
  backoff: "a retry",
};

/** Ends a night that still waits when the next one starts, with what it waited for as the reason. True if the task has ended. */
export async function endParkedTask(ports: EnginePorts, { id }: Pick<Task, "id">): Promise<boolean> {
  if (!(await isParked(ports, await ports.store.tasks.getTask(id)))) return false;
  const { task } = await transact(ports, id, null, async (before) =>
    // It may have started meanwhile.
    (await isParked(ports, before))
      ? endNow(ports, before, await describeWait(ports, before), SYSTEM)
      : { advance: { task: before, events: [], next: null } },
  );
  if (!hasEnded(task)) return false;
  await cleanUp(ports, id);
  return true;
}

async function isParked({ store }: EnginePorts, task: Task | null): Promise<boolean> {
  if (task?.status !== "queued" || task.queuedFor === null || task.queuedFor.kind === "backoff") return false;
  const runs = await store.tasks.listRuns({ task: task.id, status: ["running", "paused"], project: null, limit: 1 });
  return runs.length === 0;
}

async function describeWait({ store }: EnginePorts, { id, queuedFor, updatedAt }: Task): Promise<string> {
  const kind = queuedFor?.kind ?? "backoff";
  const first = await findFirstQueued(store, id, kind);
  const details = first === null ? "" : ` (${first.summary})`;
  return `it waited for ${WAITED_FOR[kind]} since ${utcMinute(first?.at ?? updatedAt)}, and the next night starts now${details}`;
}
