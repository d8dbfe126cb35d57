import type { CheckJson, RunJson, TaskJson } from "../../../../../src/http/client/client.ts";

/** One run of checks, on one commit. */
export interface CheckColumn {
  readonly run: RunJson;
  /** Null if the run did not record it. */
  readonly commit: string | null;
  readonly isHead: boolean;
}

export interface CheckMatrix {
  readonly columns: readonly CheckColumn[];
  /** Names of the checks, in the order in which they first ran. */
  readonly names: readonly string[];
  find(run: string, name: string): CheckJson | null;
}

/** The results of all checks by name and run, oldest run first. */
export function readMatrix({
  runs,
  checks,
  head_commit: head,
}: Pick<TaskJson, "runs" | "checks" | "head_commit">): CheckMatrix {
  const byCell = new Map(checks.map((check) => [JSON.stringify([check.run, check.name]), check]));
  const checked = runs.filter(({ id }) => checks.some(({ run }) => run === id));
  // A commit may have been checked several times. Its newest results count.
  const newest = checked.findLast((run) => head !== null && commitOf(run) === head);
  const columns = checked.map((run): CheckColumn => ({ run, commit: commitOf(run), isHead: run === newest }));
  return {
    columns,
    names: [...new Set(checks.map(({ name }) => name))],
    find: (run, name) => byCell.get(JSON.stringify([run, name])) ?? null,
  };
}

function commitOf({ payload, commit }: RunJson): string | null {
  const checked = payload?.["commit"];
  return typeof checked === "string" ? checked : commit;
}

/** The cell whose log is opened first: what blocks the newest commit, or else what failed last. */
export function chooseCell({ columns, names, find }: CheckMatrix): CheckJson | null {
  const cells = columns.toReversed().flatMap(({ run }) => names.map((name) => find(run.id, name)));
  const ran = cells.filter((cell) => cell !== null);
  return (
    ran.find(({ status, severity }) => status === "failed" && severity === "error") ??
    ran.find(({ status }) => status !== "passed" && status !== "skipped") ??
    ran.find(({ exit_code: code }) => code !== null) ??
    null
  );
}
