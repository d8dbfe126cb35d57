import { grantAccess } from "../../../policy/access/grant.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Run } from "../../../core/task/run.ts";

const NOTHING_ALLOWED = { write: [], read: [], network: [], commands: null } as const;

/**
 * The newest tree of a task, by the name of its run, that is as it was checked out: an agent behind the wall could read it
 * and nothing else. Null where there is none.
 */
export function untouchedTree(runs: readonly Run[]): string | null {
  return runs.findLast(couldOnlyRead)?.id ?? null;
}

function couldOnlyRead({ role, sandbox, finishedAt }: Run): boolean {
  return role !== null && sandbox === "enforce" && finishedAt !== null && isReader(role);
}

function isReader(role: Role): boolean {
  // What it may write, its plan says.
  if (role === "execute") return false;
  const { workspace, inWorkspace } = grantAccess(role, NOTHING_ALLOWED);
  return workspace === "read" && inWorkspace.length === 0;
}
