import { grantAccess } from "../../../policy/access/grant.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";

const NOTHING_ALLOWED = { write: [], read: [], network: [], commands: null } as const;

/**
 * Finds the newest tree of a task that is unchanged since its checkout because a sandboxed agent could only read it.
 * Returns the id of its run, or null if there is none.
 */
export function findUntouchedTree(runs: readonly Run[]): string | null {
  return runs.findLast(couldOnlyRead)?.id ?? null;
}

function couldOnlyRead({ role, sandbox, finishedAt }: Run): boolean {
  return role !== null && sandbox === "enforce" && finishedAt !== null && isReader(role);
}

function isReader(role: Role): boolean {
  // Its write access depends on the plan.
  if (role === "execute") return false;
  const { workspace, inWorkspace } = grantAccess(role, NOTHING_ALLOWED);
  return workspace === "read" && inWorkspace.length === 0;
}
