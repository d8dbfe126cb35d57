import { NIGHT_LABEL } from "../core/describe-change.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Role } from "../core/role.ts";
import { outcomeOf, type StepContext } from "./steps/step.ts";

/** Nobody reads a tenth open change request: what could not be published need not be looked for. */
export async function nightIsOver(context: StepContext, role: Role): Promise<Outcome | null> {
  const { ports, project, settings, task } = context;
  if (role !== "analyze" || task.items === null) return null;
  const most = settings.limits.openChangeRequests;
  const forge = ports.forgeFor(project, settings);
  if (forge === null) return null;
  const open = await forge.listOpen(NIGHT_LABEL);
  if (open.length < most) return null;
  const urls = open.map(({ url }) => url).join(", ");
  const many = open.length === 1 ? "1 change request is" : `${open.length} change requests are`;
  return outcomeOf(
    "night_over",
    `${many} open and limits.open_change_requests is ${most}: merge or close some first (${urls})`,
    { open: open.map(({ url }) => url) },
  );
}
