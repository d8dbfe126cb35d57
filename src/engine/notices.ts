import type { EventDraft } from "../core/event.ts";
import type { Task } from "../core/task.ts";
import type { Notifier } from "../ports/notifier.ts";
import type { NewNotice, NoticeKind } from "../ports/store.ts";

/** The notices that these events are worth, one for each channel. */
export function noticesFor(
  task: Task,
  events: readonly EventDraft[],
  notifiers: readonly Notifier[],
): readonly NewNotice[] {
  return events.flatMap((event) => {
    const kind = kindOf(event);
    if (kind === null) return [];
    return notifiers.map(({ channel }) => ({
      channel,
      kind,
      task: task.id,
      title: task.title,
      text: event.summary,
      at: event.at,
    }));
  });
}

function kindOf({ type, data }: EventDraft): NoticeKind | null {
  if (type === "task.waiting") return "waiting";
  if (type !== "task.ended") return null;
  return data["status"] === "failed" ? "failed" : "finished";
}
