import { terminalLine } from "../../core/text/terminal-text.ts";
import type { TaskJson } from "../../http/client/client.ts";

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
