import { PROTECTED_NAMES } from "../../../core/task/in-place.ts";
import { placeDirectories } from "../../../policy/access/grant.ts";
import type { StepContext } from "../step-context.ts";
import { planRoot } from "./plan-request.ts";

/** Why a run cannot work in the project's directory and write to these directories, a sentence each. */
export async function refuseInPlace(
  { ports, project }: Pick<StepContext, "ports" | "project">,
  directories: readonly string[],
): Promise<readonly string[]> {
  const root = planRoot({ project });
  const { inside, outside, isWhole } = placeDirectories({ root, directories });
  const { problems, existing } = await ports.checkouts.inspect(root, inside);
  if (problems.length > 0) return problems;
  const written = [...(isWhole ? [root] : []), ...existing, ...outside];
  return [...inside.flatMap(refuseProtected), ...ports.sandbox.refuseDirectories(written, root)];
}

function refuseProtected(path: string): readonly string[] {
  const name = PROTECTED_NAMES.find((each) => path === each || path.startsWith(`${each}/`));
  if (name === undefined && !path.split("/").includes(".git")) return [];
  return [`Directory "${path}" is always read-only: ${PROTECTED_NAMES.join(", ")} cannot be written.`];
}
