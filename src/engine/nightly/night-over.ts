import { NIGHT_LABEL } from "../../core/nightly/describe-change.ts";
import { ForgeError } from "../../core/text/errors.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { storedPayload } from "../../core/outcomes/stored-outcome.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { Role } from "../../core/task/role.ts";
import type { Forge, ForgeCredentials } from "../../ports/forge.ts";
import { outcomeOf, StepEnd, type StepContext } from "../run/step-context.ts";
import { isPrivateAddress } from "../../policy/access/network-address.ts";
import { formatTarget, isAllowed, parseNetworkRules } from "../../policy/access/network-rule.ts";
import type { Settings } from "../../core/settings/settings.ts";

const MAX_LEDGER = 10_000;

/** Ends the night before an analysis if its change could not be published. */
export async function checkBeforeAnalysis(context: StepContext, role: Role): Promise<Outcome | null> {
  if (role !== "analyze") return null;
  const over = (await findTooManyOpen(context)) ?? (await findChecksThatCannotRun(context));
  if (over === null) checkAgentCanPublish(context);
  return over;
}

/** `night_over` if no check could run on an earlier change of this night: then no other change can be verified either. */
async function findChecksThatCannotRun({ ports, task, state }: StepContext): Promise<Outcome | null> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const last = runs.findLast(({ step }) => step === "checks");
  const checks = Object.entries(storedPayload(last, "checks_inconclusive")?.checks ?? {});
  if (checks.length === 0 || checks.some(([, status]) => status !== "could_not_run")) return null;
  const names = checks.map(([name]) => name).join(", ");
  return endNight(state, `none of the project's checks can run here (${names}); run nightshift doctor to see why`);
}

/** Without an edge of its own, `night_over` would wait for the budget of the next night. */
export function endNight(state: StepContext["state"], reason: string): Outcome {
  return state.on.night_over === undefined
    ? outcomeOf("no_improvement", reason, { reason })
    : outcomeOf("night_over", reason);
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
    return (await forge.readState(number)).state === "open";
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

/** True if the pipeline defers to the setting `improve.publish`, the setting is `agent`, and the project has a forge. */
export function agentPublishes({ pipeline, settings }: Pick<StepContext, "pipeline" | "settings">): boolean {
  const isUpToSetting = pipeline.policy.publish.by === "improve.publish";
  return isUpToSetting && settings.forge !== null && settings.improve.publish === "agent";
}

/** Fails before a night spends money on a change that its agent could not publish. */
export function checkAgentCanPublish(context: StepContext): void {
  const { ports, project, settings } = context;
  if (!agentPublishes(context) || settings.sandbox.mode !== "enforce") return;
  const forge = ports.forges.open(project, settings);
  if (forge !== null) requireSandboxAllowsForge(settings, forge.issueCredentials());
}

/** Fails before credentials are issued to a run that could not reach the forge from the sandbox. */
export function requireSandboxAllowsForge(
  { sandbox }: Pick<Settings, "sandbox">,
  { network }: Pick<ForgeCredentials, "network">,
): void {
  if (sandbox.mode !== "enforce") return;
  const { rules, problems: invalid } = parseNetworkRules(network);
  const allowed = parseNetworkRules(sandbox.privateHosts).rules;
  const problems = [
    ...invalid,
    ...rules
      .filter(({ host, port }) => isPrivateAddress(host) && !isAllowed(allowed, host, port))
      .map(
        (rule) => `${formatTarget(rule)} is a private address that sandbox.private_hosts in config.yaml does not list.`,
      ),
  ];
  if (problems.length === 0) return;
  const summary = `the agent should publish, but the sandbox does not allow access to the forge: ${problems.join(" ")} Set improve.publish: engine.`;
  throw new StepEnd("sandbox_refused", summary);
}
