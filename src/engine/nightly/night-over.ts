import { NIGHT_LABEL } from "../../core/nightly/describe-change.ts";
import { ForgeError } from "../../core/text/errors.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { Role } from "../../core/task/role.ts";
import type { Forge } from "../../ports/forge.ts";
import { requireReach } from "./agent-publishing.ts";
import { outcomeOf, type StepContext } from "../run/step-context.ts";

const MAX_LEDGER = 10_000;

/** Nobody reads a tenth open change request: what could not be published need not be looked for. */
export async function nightIsOver(context: StepContext, role: Role): Promise<Outcome | null> {
  if (role !== "analyze") return null;
  const over = await findTooManyOpen(context);
  if (over === null) requireReach(context);
  return over;
}

/** Those of other tasks: one that is being published again must not stand in its own way. */
export async function findTooManyOpen(context: StepContext): Promise<Outcome | null> {
  const { ports, project, settings, task, pipeline } = context;
  if (!pipeline.policy.publish.capOpen) return null;
  const most = settings.limits.openChangeRequests;
  const query = { project: project.name, statuses: ["published"], limit: MAX_LEDGER } as const;
  const published = (await ports.store.ledger.listProposals(query)).filter((proposal) => proposal.task !== task.id);
  const forge = ports.forges.open(project, settings);
  const open = forge === null ? await branchesLeft(context, published) : await openAt(forge, context, published);
  if (open.length < most) return null;
  const what = forge === null ? ["branch", "branches", "delete"] : ["change request", "change requests", "close"];
  const many = open.length === 1 ? `1 ${what[0]} is` : `${open.length} ${what[1]} are`;
  const summary = `${many} open and limits.open_change_requests is ${most}: merge or ${what[2]} some first (${open.join(", ")})`;
  return outcomeOf("night_over", summary, { open });
}

/** What bears our label, and what the forge let us open but not label, by their addresses. */
async function openAt(forge: Forge, context: StepContext, published: readonly Proposal[]): Promise<readonly string[]> {
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

/** Without a forge nobody says what became of a branch: one that is still there is still to be looked at. */
async function branchesLeft(context: StepContext, published: readonly Proposal[]): Promise<readonly string[]> {
  const { ports, project } = context;
  if (published.length === 0) return [];
  const tasks = await Promise.all(published.map((proposal) => ports.store.tasks.getTask(proposal.task)));
  const branches = tasks.flatMap((task) => task?.branch ?? []);
  const asked = { project: project.name, remote: project.remote, credentials: null };
  // Each pipeline may have a prefix of its own.
  const prefixes = [...new Set(branches.map((branch) => branch.split("/")[0] ?? branch))];
  const there = await Promise.all(prefixes.map((prefix) => ports.workspaces.listBranches({ ...asked, prefix })));
  return branches.filter((branch) => there.flat().includes(branch));
}
