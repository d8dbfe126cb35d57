import { terminalLine } from "../../core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { describeQueued } from "./task/queued.ts";
import { paint } from "./terminal/style.ts";
import { showsReason } from "./task/summary.ts";

const MAX_LINE = 160;

type SettledTask = Pick<TaskJson, "status" | "state" | "reason" | "waiting_for">;

/** `settled` is the task if the wait is over. The summary then prints its reason in full, so the event omits it. */
export function describeEvent(
  context: Pick<CliContext, "color">,
  event: EventJson,
  settled: SettledTask | null,
): string {
  const text = terminalLine(
    event.type === "task.queued" ? describeWait(event) : withoutReason(event, settled),
    MAX_LINE,
  );
  if (event.level === "error") return paint(context, "red", text);
  return event.level === "warning" ? paint(context, "yellow", text) : text;
}

function describeWait({ at, data, summary }: EventJson): string {
  const { kind, until } = data;
  if (typeof kind !== "string") return summary;
  const time = typeof until === "number" ? new Date(until).toISOString() : null;
  return describeQueued({ kind, until: time }, Date.parse(at));
}

/** The summary of an end event has the form `<result><separator><reason>`. Removes the reason if the summary prints it. */
function withoutReason({ summary, type }: EventJson, settled: SettledTask | null): string {
  const reason = settled === null ? null : reasonInSummary(settled);
  const separator = type === "task.ended" ? ": " : " – ";
  const at = summary.indexOf(separator);
  if (reason === null || at === -1 || !reason.includes(summary.slice(at + separator.length))) return summary;
  return summary.slice(0, at);
}

function reasonInSummary(task: SettledTask): string | null {
  if (task.waiting_for?.kind === "choice") return task.waiting_for.reason;
  return showsReason(task) ? task.reason : null;
}
