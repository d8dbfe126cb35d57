import type { ReportedTaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";

export interface Change {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly minutes: number;
  readonly risk: NonNullable<ReportedTaskJson["change"]>["risk"];
}

/** Size, risk and reading time of a task's change. Null while it is loading, and if there is none. */
export function useChange(task: string): Change | null {
  const { data } = useApi("GET /tasks/:id/diff", { params: { id: task } });
  if (data?.risk == null) return null;
  const sum = (name: "insertions" | "deletions"): number => data.files.reduce((all, file) => all + file[name], 0);
  return {
    files: data.files.length,
    insertions: sum("insertions"),
    deletions: sum("deletions"),
    minutes: data.reading_minutes,
    risk: data.risk,
  };
}
