import type { EventDraft, Event } from "../../core/task/event.ts";
import {
  describeEventNotice,
  describeRefused,
  describeTask,
  isParkedFor,
  type NoticeAbout,
  type NoticeData,
} from "../../core/notices/notice.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import type { Artifact, Task } from "../../core/task/task.ts";
import type { NewNotice, NoticeKind, Project, RunEnd } from "../../ports/store.ts";
import { policyOf } from "../pipeline-of.ts";
import { listPaidRuns } from "../variants.ts";
import type { ChannelAccess, EnginePorts, RedactPorts } from "../ports.ts";

type NoticePorts = Pick<EnginePorts, "store" | "projects"> &
  RedactPorts & {
    readonly channels: Pick<ChannelAccess, "namesFor">;
  };

/** A commit that is about to be written. */
export interface PendingCommit {
  readonly task: Task;
  readonly events: readonly EventDraft[];
  readonly endRun?: RunEnd | null;
  readonly artifacts?: readonly Artifact[];
}

/** The notices for these events, one for each channel that subscribed to their kind. */
export async function noticesFor(ports: NoticePorts, commit: PendingCommit): Promise<readonly NewNotice[]> {
  const { task, events } = commit;
  const reported: { readonly event: EventDraft; readonly kind: NoticeKind }[] = [];
  for (const event of events) {
    // A variant only concerns its task, which reports for itself. Its agent concerns all tasks.
    const isSilent = task.options.variantOf !== undefined && event.type.startsWith("task.");
    const kind = isSilent ? null : kindOf(event);
    if (kind !== null && !(await wasReported(ports, task, event))) reported.push({ event, kind });
  }
  const [first] = reported;
  if (first === undefined) return [];
  const known = await describe(ports, commit, first.event.at);
  const { id, project, title } = task;
  return reported.flatMap(({ event, kind }) => {
    const { at, summary } = event;
    const about = aboutOf(event);
    const data = ports.secrets.redact(about === undefined ? known : describeEventNotice(known, about, id, summary));
    return ports.channels
      .namesFor(project, kind, data)
      .map((channel) => ({ channel, kind, project, task: id, title, text: summary, data, at }));
  });
}

/** The notices for a schedule that could not create a task. */
export function refusalNotices(
  ports: NoticePorts,
  { project, schedule }: { readonly project: Project; readonly schedule: Pick<Schedule, "pipeline" | "title"> },
  { at, summary }: EventDraft,
): readonly NewNotice[] {
  const [kind, text] = ["failed", ports.secrets.redact(summary)] as const;
  const data = describeRefused(schedule.pipeline, text);
  return ports.channels
    .namesFor(project.name, kind, data)
    .map((channel) => ({ channel, kind, project: project.name, task: null, title: schedule.title, text, data, at }));
}

/** A task that waits is reported once, not after every retry, and not if another task already waits for the same reason. */
async function wasReported({ store }: NoticePorts, task: Task, { type, data }: EventDraft): Promise<boolean> {
  if (type !== "task.queued") return false;
  return (await findFirstQueued(store, task.id, data["kind"])) !== null || (await isReasonKnown(store, task));
}

async function isReasonKnown(store: EnginePorts["store"], { id, project, queuedFor }: Task): Promise<boolean> {
  if (queuedFor?.reason === undefined) return false;
  const { kind, reason } = queuedFor;
  const query = { status: ["queued"] as const, state: null, project, limit: PAGE, cursor: null, queuedFor: kind };
  const { rows } = await store.tasks.listTasks(query);
  return rows.some((other) => other.id !== id && other.queuedFor?.reason === reason);
}

async function describe(ports: NoticePorts, commit: PendingCommit, at: number): Promise<NoticeData> {
  const { task, endRun = null, artifacts = [] } = commit;
  const runs = await listPaidRuns(ports, task);
  const known = [...(await ports.store.tasks.listArtifacts(task.id)), ...artifacts];
  return describeTask(task, {
    report: (await policyOf(ports, task)).report,
    // The store does not contain the cost of the run that ends now.
    runs: runs.map((run) => (run.id === endRun?.id ? { ...run, costUsd: endRun.costUsd } : run)),
    url: known.findLast(({ type, url }) => type === "change_request" && url !== null)?.url ?? null,
    at,
  });
}

/** Events that are not about the progress of the task itself. */
const ABOUT: Readonly<Partial<Record<EventDraft["type"], NoticeAbout>>> = {
  "request.unexplained": "closed",
  "schedule.missed": "missed",
  "schedule.skipped": "skipped",
};

function aboutOf({ type, data: { kind, agent } }: EventDraft): NoticeAbout | undefined {
  if (type !== "task.queued" && type !== "agent.parked") return ABOUT[type];
  // One notice about a parked agent stands for all of its tasks.
  if (type === "task.queued" && agent !== undefined) return undefined;
  return isParkedFor(kind) ? kind : undefined;
}

function kindOf(event: EventDraft): NoticeKind | null {
  const { type } = event;
  if (type === "task.waiting") return event.data["auto"] === true ? null : "waiting";
  if (type === "request.unexplained") return "waiting";
  if (type === "task.queued" || type === "agent.parked") return aboutOf(event) === undefined ? null : "waiting";
  if (type === "schedule.missed" || type === "schedule.skipped") return "failed";
  return type === "task.ended" ? kindOfEnd(event) : null;
}

/** A cancellation by the engine itself is unexpected, so it counts as a failure. */
function kindOfEnd({ data: { status }, actor, run }: EventDraft): NoticeKind {
  const isCancelledByEngine = status === "cancelled" && actor.kind === "system" && run === null;
  return status === "failed" || isCancelledByEngine ? "failed" : "finished";
}

const PAGE = 1_000;

/** The first event in which the task was queued for this reason, or null. */
export async function findFirstQueued(store: EnginePorts["store"], task: string, kind: unknown): Promise<Event | null> {
  for (let after = 0; ;) {
    const page = await store.events.listEvents({ after, task, limit: PAGE });
    const found = page.find(({ type, data }) => type === "task.queued" && data["kind"] === kind);
    const last = page.at(-1);
    if (found !== undefined || last === undefined) return found ?? null;
    after = last.id;
  }
}
