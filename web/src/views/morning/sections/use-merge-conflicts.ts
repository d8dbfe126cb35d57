import { useQueries } from "@tanstack/react-query";
import { api } from "../../../api/client.ts";
import type { MergeOrderJson, ReportedTaskJson } from "../../../../../src/http/client/client.ts";

/** A change that cannot be merged together with this one without resolving a conflict. */
export interface ChangeConflict {
  /** Title of the other change, or the name of the branch to merge into. */
  readonly with: string;
  readonly files: readonly string[];
}

/**
 * Which changes conflict with each other. Comparing branches takes some time, so it happens once for each set of changes, not for
 * each event.
 */
export function useMergeConflicts(tasks: readonly ReportedTaskJson[]): (task: string) => readonly ChangeConflict[] {
  const projects = [...Map.groupBy(tasks, ({ project }) => project)];
  const found = useQueries({
    queries: projects.map(([name, changes]) => ({
      queryKey: ["GET /projects/:name/merge-order", name, changes.map(({ id }) => id)],
      queryFn: async () => (await api.call("GET /projects/:name/merge-order", { params: { name } })).merge_order,
      meta: { live: false },
      retry: false,
    })),
  });
  const orders = found.flatMap(({ data }) => data ?? []);
  return (task) => orders.flatMap((order) => conflictsIn(order, task));
}

function conflictsIn({ branches, target }: MergeOrderJson, task: string): readonly ChangeConflict[] {
  const branch = branches.find((each) => each.task === task);
  if (branch === undefined) return [];
  const titleOf = (id: string): string => branches.find((each) => each.task === id)?.title ?? id;
  return [
    ...(branch.target_conflicts.length > 0 ? [{ with: target, files: branch.target_conflicts }] : []),
    ...branch.conflicts.map(({ task: other, files }) => ({ with: titleOf(other), files })),
  ];
}
