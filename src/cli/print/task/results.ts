import type { TaskJson } from "../../../http/client/client.ts";
import { describeDenied } from "../access.ts";
import { renderMarkdown } from "../terminal/markdown.ts";
import type { Screen } from "../terminal/style.ts";
import { byteSize } from "../terminal/words.ts";
import { describeFiles } from "./files.ts";
import { describeNotifications } from "./notifications.ts";
import { summary } from "./summary.ts";

/** The summary of a task with its answer, what was denied, and the files. */
export function describeResults(screen: Screen, task: TaskJson): string {
  return [
    summary(screen, task),
    resultPart(screen, task),
    processPart(task),
    deniedPart(task),
    describeFiles(screen, task),
    notificationsPart(task),
  ].join("");
}

/** The text that the executor of a staged task delivered. */
export function resultOf({ runs }: TaskJson): string | null {
  const result = runs.findLast(({ role }) => role === "execute")?.payload?.["result"];
  return typeof result === "string" && result.trim() !== "" ? result : null;
}

function resultPart(screen: Screen, task: TaskJson): string {
  const result = resultOf(task);
  return result === null
    ? ""
    : `\nResult · ${byteSize(Buffer.byteLength(result))}\n${renderMarkdown(screen, result, "  ")}\n`;
}

function processPart({ runs }: TaskJson): string {
  return runs.map(({ pid, role, step }) => (pid == null ? "" : `  ${role ?? step}: process ${pid}\n`)).join("");
}

function notificationsPart(task: TaskJson): string {
  const notifications = describeNotifications(task);
  return notifications === "" ? "" : `\nNotifications\n${notifications}`;
}

function deniedPart(task: TaskJson): string {
  const denied = describeDenied(task);
  return denied === "" ? "" : `\nDenied\n${denied}`;
}
