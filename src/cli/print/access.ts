import { terminalLine } from "../../core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import { shortRunId } from "./terminal/short-id.ts";
import type { Screen } from "./terminal/style.ts";

const MAX_SHOWN = 20;
const MAX_WIDTH = 240;

/** Returns one sentence for each access that the sandbox denied to the task's runs. */
export function denials({ runs }: Pick<TaskJson, "runs">): readonly string[] {
  const sentences = runs.flatMap(({ payload }) => {
    const denied = payload?.["denied"];
    return Array.isArray(denied) ? denied.filter((each) => typeof each === "string") : [];
  });
  return [...new Set(sentences)];
}

export function describeDenied(task: Pick<TaskJson, "runs">): string {
  const sentences = denials(task);
  const more = sentences.length - MAX_SHOWN;
  return [
    ...sentences.slice(0, MAX_SHOWN).map((sentence) => terminalLine(sentence, MAX_WIDTH)),
    ...(more > 0 ? [`and ${more} more; use --json to see all`] : []),
  ]
    .map((line) => `  ${line}\n`)
    .join("");
}

/** Lists the runs that got one of Nightshift's own credentials, such as the forge token. */
export function describeGranted(
  screen: Screen,
  task: Pick<TaskJson, "runs">,
  events: readonly Pick<EventJson, "run" | "summary" | "data">[],
): string {
  return events
    .filter(({ data }) => Array.isArray(data["granted"]) && data["granted"].length > 0)
    .map(
      ({ run, summary }) =>
        `  ${run === null ? "?" : shortRunId(screen, task, run)}: ${terminalLine(summary, MAX_WIDTH)}\n`,
    )
    .join("");
}
