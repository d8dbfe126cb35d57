import { NIGHT_LABEL } from "../../core/nightly/describe-change.ts";
import { ForgeError } from "../../core/text/errors.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { Role } from "../../core/task/role.ts";
import type { Forge } from "../../ports/forge.ts";
import { checkAgentCanPublish } from "./agent-publishing.ts";
import { outcomeOf, type StepContext } from "../run/step-context.ts";

const MAX_LEDGER = 10_000;

/** Ends the night before an analysis if its change could not be published. */
export async function checkBeforeAnalysis(context: StepContext, role: Role): Promise<Outcome | null> {
  if (role !== "analyze") return null;
  const over = await findTooManyOpen(context);
  if (over === null) checkAgentCanPublish(context);
  return over;
}

/** `night_over` if other tasks have too many open change requests. A task's own request does not block publishing it again. */
export async function findTooManyOpen(context: StepContext): Promise<Outcome | null> {
  const { ports, project, settings, task, pipeline } = context;
  if (!pipeline.policy.publish.capOpen) return null;
  const max = settings.limits.openChangeRequests;
  const query = { project: project.name, statuses: ["published"], limit: MAX_LEDGER } as const;
  const published = (await ports.store.ledger.listProposals(query)).filter((proposal) => proposal.task !== task.id);
  const forge = ports.forges.open(project, settings);
  const open = forge === null ? await listBranches(context, published) : await listOpen(forge, context, published);
  if (open.length < max) return null;
  const [noun, plural, verb] = forge === null ? ["branch", "es", "delete"] : ["change request", "s", "close"];
  const count = open.length === 1 ? `1 ${noun} is` : `${open.length} ${noun}${plural} are`;
  const summary = `${count} open and limits.open_change_requests is ${max}: merge or ${verb} some first (${open.join(", ")})`;
  return outcomeOf("night_over", summary, { open });
}

/** URLs of the open requests with our label, and of published ones that the forge did not let us label. */
async function listOpen(forge: Forge, context: StepContext, published: readonly Proposal[]): Promise<string[]> {
  const { settings, task } = context;
  const labelled = (await forge.listOpen(NIGHT_LABEL)).filter(({ branch }) => branch !== task.branch);
  const open = labelled.map(({ url }) => url);
  for (const { number, url } of published) {
    if (open.length >= settings.limits.openChangeRequests) break;
    if (number !== null && url !== null && !open.includes(url) && (await isOpen(forge, number))) open.push(url);
  }
  return open;
}

async function isOpen(forge: Forge, number: number): Promise<boolean> {
  try {
    return (await forge.look(number)).state === "open";
  } catch (error) {
    if (error instanceof ForgeError && error.trouble === "missing") return false;
    throw error;
  }
}

/** Without a forge, a published branch counts as open until it is deleted. */
async function listBranches(context: StepContext, published: readonly Proposal[]): Promise<string[]> {
  const { ports, project } = context;
  if (published.length === 0) return [];
  const tasks = await Promise.all(published.map((proposal) => ports.store.tasks.getTask(proposal.task)));
  const branches = tasks.flatMap((task) => task?.branch ?? []);
  const query = { project: project.name, remote: project.remote, credentials: null };
  // Each pipeline may have its own prefix.
  const prefixes = [...new Set(branches.map((branch) => branch.split("/")[0] ?? branch))];
  const remaining = await Promise.all(prefixes.map((prefix) => ports.workspaces.listBranches({ ...query, prefix })));
  return branches.filter((branch) => remaining.flat().includes(branch));
}
