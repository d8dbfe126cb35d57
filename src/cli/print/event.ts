import { terminalLine } from "../../core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";
import { tellsReason } from "./summary.ts";

const MAX_LINE = 160;

type Settled = Pick<TaskJson, "status" | "state" | "reason" | "waiting_for">;

/** `settled`: the task, when the waiting is over; its reason is then told in full by the summary, and not here as well. */
export function describeEvent(context: Pick<CliContext, "color">, event: EventJson, settled: Settled | null): string {
  const text = terminalLine(event.type === "task.queued" ? nextTry(event) : withoutReason(event, settled), MAX_LINE);
  if (event.level === "error") return paint(context, "red", text);
  return event.level === "warning" ? paint(context, "yellow", text) : text;
}

function nextTry({ data, summary }: EventJson): string {
  const { kind, until } = data;
  if (typeof kind !== "string") return summary;
  return typeof until === "number" ? `next try at ${new Date(until).toISOString()} (${kind})` : `queued (${kind})`;
}

/** Ended events say what came of it and, behind this, why. */
function withoutReason({ summary, type }: EventJson, settled: Settled | null): string {
  const reason = settled === null ? null : toldReason(settled);
  const separator = type === "task.ended" ? ": " : " – ";
  const at = summary.indexOf(separator);
  if (reason === null || at === -1 || !reason.includes(summary.slice(at + separator.length))) return summary;
  return summary.slice(0, at);
}

function toldReason(task: Settled): string | null {
  if (task.waiting_for?.kind === "choice") return task.waiting_for.reason;
  return tellsReason(task) ? task.reason : null;
}
