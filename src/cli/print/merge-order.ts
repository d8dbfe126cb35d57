import { escapedLine } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";
import { indentText } from "./terminal/fit-text.ts";
import { shortId } from "./terminal/short-id.ts";
import type { Screen } from "./terminal/style.ts";

const MAX_FILES = 5;

/** The order in which to merge the branches of the task's project. Empty if there is nothing to decide. */
export function describeMergeOrder(screen: Screen, { id, merge_order: order = null }: Partial<TaskJson>): string {
  if (order === null) return "";
  const { branches, target, left_out: leftOut } = order;
  const hasConflicts = branches.some(({ target_conflicts }) => target_conflicts.length > 0);
  if (branches.length < 2 && !hasConflicts) return "";
  const nameOf = (task: string): string => {
    const found = branches.find((branch) => branch.task === task);
    return found === undefined ? task : shortId(screen, { id: found.task, short_id: found.short_id });
  };
  const lines = branches.map(({ task, title, conflicts, target_conflicts: withTarget }, index) => {
    const notes = [
      ...(withTarget.length === 0 ? [] : [`conflicts with ${escapedLine(target)}: ${listFiles(withTarget)}`]),
      ...conflicts.map((conflict) => `conflicts with ${nameOf(conflict.task)}: ${listFiles(conflict.files)}`),
    ];
    const line = `${index + 1}. ${nameOf(task)}${task === id ? " (this task)" : ""}  ${escapedLine(title)}`;
    return [indentText(screen, line, "  ", "     "), ...notes.map((note) => indentText(screen, note, "     "))].join(
      "\n",
    );
  });
  const rest =
    leftOut === 0 ? [] : [`  ${leftOut} older ${leftOut === 1 ? "branch was" : "branches were"} not compared`];
  return `${[...lines, ...rest].join("\n")}\n`;
}

function listFiles(files: readonly string[]): string {
  const shown = files.slice(0, MAX_FILES).map(escapedLine).join(", ");
  return files.length <= MAX_FILES ? shown : `${shown} and ${files.length - MAX_FILES} more`;
}
