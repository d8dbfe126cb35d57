import { terminalLine } from "../../core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import { shortRunId } from "./terminal/short-id.ts";
import type { Screen } from "./terminal/style.ts";

const MAX_SHOWN = 20;
const MAX_WIDTH = 240;

/** An access that the sandbox denied to the task's runs, with the number of times over all runs. */
export interface Denied {
  readonly kind: string;
  readonly target: string;
  readonly sentence: string;
  readonly count: number;
}

export function denials({ runs }: Pick<TaskJson, "runs">): readonly Denied[] {
  const grouped = new Map<string, Denied>();
  for (const denial of runs.flatMap((run) => run.denials ?? [])) {
    const count = (grouped.get(denial.sentence)?.count ?? 0) + denial.count;
    grouped.set(denial.sentence, { ...denial, count });
  }
  return [...grouped.values()].toSorted((one, other) => one.kind.localeCompare(other.kind) || other.count - one.count);
}

export function describeDenied(task: Pick<TaskJson, "runs">): string {
  const all = denials(task);
  const more = all.length - MAX_SHOWN;
  return [
    ...all.slice(0, MAX_SHOWN).map(({ kind, sentence, count }) => {
      const times = count === 1 ? "" : ` (${count} times)`;
      return `${kind}: ${terminalLine(sentence.replace(/^denied: /, ""), MAX_WIDTH)}${times}`;
    }),
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
