/** A published branch that is not merged yet. */
export interface OpenBranch {
  readonly task: string;
  readonly createdAt: number;
  /** Files that conflict with the branch that it is to be merged into. */
  readonly targetConflicts: readonly string[];
}

export interface BranchConflict {
  readonly tasks: readonly [string, string];
  readonly files: readonly string[];
}

export interface OrderedBranch<Branch extends OpenBranch> {
  readonly branch: Branch;
  /** The other branches that it conflicts with, in the order of the list. */
  readonly conflicts: readonly { readonly task: string; readonly files: readonly string[] }[];
}

/**
 * The order in which most branches can be merged without resolving a conflict: first those that conflict with no branch before
 * them, beginning with the fewest conflicts, then the rest. The older one comes first if all else is equal.
 */
export function orderMerges<Branch extends OpenBranch>(
  branches: readonly Branch[],
  conflicts: readonly BranchConflict[],
): readonly OrderedBranch<Branch>[] {
  const conflictsOf = (task: string) =>
    conflicts.flatMap(({ tasks: [one, other], files }) =>
      one === task ? [{ task: other, files }] : other === task ? [{ task: one, files }] : [],
    );
  const sorted = branches.toSorted(
    (a, b) =>
      a.targetConflicts.length - b.targetConflicts.length ||
      conflictsOf(a.task).length - conflictsOf(b.task).length ||
      a.createdAt - b.createdAt ||
      (a.task < b.task ? -1 : 1),
  );
  const clean: Branch[] = [];
  for (const branch of sorted) {
    const others = conflictsOf(branch.task).map(({ task }) => task);
    if (branch.targetConflicts.length === 0 && !clean.some(({ task }) => others.includes(task))) clean.push(branch);
  }
  const ordered = [...clean, ...sorted.filter((branch) => !clean.includes(branch))];
  const positions = new Map(ordered.map(({ task }, index) => [task, index]));
  const position = (task: string): number => positions.get(task) ?? ordered.length;
  return ordered.map((branch) => ({
    branch,
    conflicts: conflictsOf(branch.task).toSorted((a, b) => position(a.task) - position(b.task)),
  }));
}
