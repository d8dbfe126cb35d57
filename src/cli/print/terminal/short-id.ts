import type { TaskJson } from "../../../http/client/client.ts";
import type { Screen } from "./style.ts";

interface Identified {
  readonly id: string;
  /** Missing if the daemon has an older version. */
  readonly short_id?: string;
}

/** A terminal shows a prefix that every command accepts. A pipe gets the complete id, because scripts may keep it. */
export function shortId({ width }: Screen, { id, short_id: short = id }: Identified): string {
  return width === undefined ? id : short;
}

/** The id of a task's run, for checks and events, which have only the complete id. */
export function shortRunId(screen: Screen, { runs }: Pick<TaskJson, "runs">, id: string): string {
  const run = runs.find((each) => each.id === id);
  return run === undefined ? id : shortId(screen, run);
}
