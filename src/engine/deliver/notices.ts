import type { EventDraft } from "../../core/task/event.ts";
import {
  describeEventNotice,
  describeRefused,
  describeTask,
  type NoticeAbout,
  type NoticeData,
} from "../../core/notices/notice.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import type { Artifact, Task } from "../../core/task/task.ts";
import type { NewNotice, NoticeKind, Project, RunEnd } from "../../ports/store.ts";
import { firstQueued } from "./first-queued.ts";
import { policyOf } from "../pipeline-of.ts";
import type { ChannelAccess, EnginePorts, RedactPorts } from "../ports.ts";

const MAX_RUNS = 1_000;

type NoticePorts = Pick<EnginePorts, "store" | "projects"> &
  RedactPorts & {
    readonly channels: Pick<ChannelAccess, "namesFor">;
  };

/** What is about to be committed. */
export interface PendingCommit {
  readonly task: Task;
  readonly events: readonly EventDraft[];
  readonly endRun?: RunEnd | null;
  readonly artifacts?: readonly Artifact[];
}

/** The notices that these events are worth, one for each channel that wants to hear of it. */
export async function noticesFor(ports: NoticePorts, happening: PendingCommit): Promise<readonly NewNotice[]> {
  const { task, events } = happening;
  const told: { readonly event: EventDraft; readonly kind: NoticeKind }[] = [];
  for (const event of events) {
    const kind = kindOf(event);
    if (kind !== null && !(await wasTold(ports, task, event))) told.push({ event, kind });
  }
  const [first] = told;
  if (first === undefined) return [];
  const known = await describe(ports, happening, first.event.at);
  const { id, project, title } = task;
  return told.flatMap(({ event, kind }) => {
    const { at, summary } = event;
    const about = aboutOf(event);
    const data = ports.secrets.redact(about === undefined ? known : describeEventNotice(known, about, id, summary));
    return ports.channels
      .namesFor(project, kind, data)
      .map((channel) => ({ channel, kind, project, task: id, title, text: summary, data, at }));
  });
}

/** What came to no task, told to the project's people. */
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

/** What a task waits for is said once, not each time that it is tried with again. */
async function wasTold({ store }: NoticePorts, task: Task, { type, data }: EventDraft): Promise<boolean> {
  return type === "task.queued" && (await firstQueued(store, task.id, data["kind"])) !== null;
}

async function describe(ports: NoticePorts, happening: PendingCommit, at: number): Promise<NoticeData> {
  const { task, endRun = null, artifacts = [] } = happening;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const known = [...(await ports.store.tasks.listArtifacts(task.id)), ...artifacts];
  return describeTask(task, {
    report: (await policyOf(ports, task)).report,
    // What the run that ends now cost is not in the store yet.
    runs: runs.map((run) => (run.id === endRun?.id ? { ...run, costUsd: endRun.costUsd } : run)),
    url: known.findLast(({ type, url }) => type === "change_request" && url !== null)?.url ?? null,
    at,
  });
}

/** Events that say nothing of how the task itself goes. */
const ABOUT: Readonly<Partial<Record<EventDraft["type"], NoticeAbout>>> = {
  "request.unexplained": "closed",
  "schedule.missed": "missed",
  "schedule.skipped": "skipped",
};

function aboutOf({ type, data: { kind } }: EventDraft): NoticeAbout | undefined {
  if (type !== "task.queued") return ABOUT[type];
  // Of all that is waited for, these are the ones that a person can do something about.
  return kind === "login" || kind === "provider" ? kind : undefined;
}

function kindOf(event: EventDraft): NoticeKind | null {
  const { type } = event;
  if (type === "task.waiting" || type === "request.unexplained") return "waiting";
  if (type === "task.queued") return aboutOf(event) === undefined ? null : "waiting";
  if (type === "schedule.missed" || type === "schedule.skipped") return "failed";
  return type === "task.ended" ? kindOfEnd(event) : null;
}

/** What the engine cancelled of its own accord nobody asked for. */
function kindOfEnd({ data: { status }, actor, run }: EventDraft): NoticeKind {
  const byItself = status === "cancelled" && actor.kind === "system" && run === null;
  return status === "failed" || byItself ? "failed" : "finished";
}
