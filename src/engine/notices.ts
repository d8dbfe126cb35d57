import type { EventDraft } from "../core/event.ts";
import { concerns, describeHappening, describeTask, type NoticeAbout, type NoticeData } from "../core/notice.ts";
import type { Artifact, Task } from "../core/task.ts";
import type { NewNotice, NoticeKind, RunEnd } from "../ports/store.ts";
import type { EnginePorts } from "./ports.ts";

const MAX_RUNS = 1_000;

type NoticePorts = Pick<EnginePorts, "store" | "channelsFor" | "redact">;

/** What is about to be committed. */
export interface Happening {
  readonly task: Task;
  readonly events: readonly EventDraft[];
  readonly endRun?: RunEnd | null;
  readonly artifacts?: readonly Artifact[];
}

/** The notices that these events are worth, one for each channel that wants to hear of it. */
export async function noticesFor(ports: NoticePorts, happening: Happening): Promise<readonly NewNotice[]> {
  const { task, events } = happening;
  const told = events.flatMap((event) => {
    const kind = kindOf(event);
    return kind === null ? [] : [{ event, kind }];
  });
  const [first] = told;
  if (first === undefined) return [];
  const known = await describe(ports, happening, first.event.at);
  const { id, project, title } = task;
  return told.flatMap(({ event: { at, summary, type }, kind }) => {
    const about = ABOUT[type];
    const data = ports.redact(about === undefined ? known : describeHappening(known, about, id, summary));
    return ports
      .channelsFor(project, kind)
      .filter((channel) => concerns(channel, kind, data))
      .map((channel) => ({ channel, kind, project, task: id, title, text: summary, data, at }));
  });
}

async function describe(ports: NoticePorts, happening: Happening, at: number): Promise<NoticeData> {
  const { task, endRun = null, artifacts = [] } = happening;
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const known = [...(await ports.store.listArtifacts(task.id)), ...artifacts];
  return describeTask(task, {
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
};

function kindOf({ type, data }: EventDraft): NoticeKind | null {
  if (type === "task.waiting") return "waiting";
  if (type === "schedule.missed") return "failed";
  if (type === "request.unexplained") return "waiting";
  if (type !== "task.ended") return null;
  return data["status"] === "failed" ? "failed" : "finished";
}
