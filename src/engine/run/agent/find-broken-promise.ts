import type { Outcome } from "../../../core/outcomes/outcome.ts";
import type { Role } from "../../../core/task/role.ts";
import { coversRule, parseNetworkRules } from "../../../policy/access/network-rule.ts";
import type { ExitRecord } from "../../../ports/supervisor.ts";
import { planRequest } from "../plan/plan-request.ts";
import { outcomeOf, type StepContext } from "../step-context.ts";

/**
 * An executor may report success although it was denied what its approved plan grants, such as a host that resolves to a
 * private address. What was approved did not happen then. Denials of anything else are expected, and no failure.
 */
export function findBrokenPromise(
  context: Pick<StepContext, "task" | "project">,
  role: Role,
  { denials }: Pick<ExitRecord, "denials">,
): Outcome | null {
  const promised = parseNetworkRules(planRequest(context, role)?.network ?? []).rules;
  const broken = denials.filter(({ kind, target }) => kind === "network" && coversRule(promised, target));
  if (broken.length === 0) return null;
  const sentences = broken.map(({ sentence }) => `- ${sentence}`).join("\n");
  return outcomeOf("sandbox_refused", `the sandbox denied what the approved plan grants:\n${sentences}`);
}
