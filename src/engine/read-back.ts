import { advance } from "../core/advance.ts";
import { ConfigError, ForgeError, UserError } from "../core/errors.ts";
import { SYSTEM, type EventDraft } from "../core/event.ts";
import type { Proposal } from "../core/proposal.ts";
import type { Task } from "../core/task.ts";
import type { ChangeRequestState, Forge } from "../ports/forge.ts";
import type { Project } from "../ports/store.ts";
import { markAsked, markClosed, markMerged, unexplained } from "./ledger.ts";
import { noticesFor } from "./notices.ts";
import { pipelineOf } from "./pipeline-of.ts";
import { factsOf, type EnginePorts } from "./ports.ts";
import { outcomeOf } from "./steps/step.ts";
import { transact } from "./transact.ts";

const MOST_OPEN = 200;

/** "Done" means that the forge says so: every open change request of ours is looked at again. */
export async function readBack(ports: EnginePorts): Promise<void> {
  for (const project of await ports.store.listProjects()) {
    const forge = await forgeOf(ports, project);
    if (forge === null) continue;
    for (const request of await openRequests(ports, project)) await readOne(ports, { project, forge, request });
    await askWhy(ports, project);
  }
}

/** A forge that cannot be used now is told of by `doctor` and by whoever wants to publish. */
async function forgeOf(ports: EnginePorts, project: Project): Promise<Forge | null> {
  try {
    return ports.forgeFor(project, await ports.projects.lastGood(project));
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UserError) return null;
    throw error;
  }
}

interface OpenRequest {
  readonly task: string;
  readonly number: number;
  readonly url: string;
}

/** Of proposals, whose tasks have ended, and of tasks that wait for the merge. */
async function openRequests({ store }: EnginePorts, project: Project): Promise<readonly OpenRequest[]> {
  const proposals = await store.listProposals({ project: project.name, statuses: ["published"], limit: MOST_OPEN });
  const waiting = await store.listTasks({
    status: ["waiting"],
    state: null,
    project: project.name,
    cursor: null,
    limit: MOST_OPEN,
  });
  const ofTasks = await Promise.all(
    waiting.rows.filter(({ waitingFor }) => waitingFor?.kind === "merge").map((task) => requestOf(store, task)),
  );
  return [...proposals.flatMap(ofProposal), ...ofTasks.flat()];
}

function ofProposal({ task, number, url }: Proposal): readonly OpenRequest[] {
  return number === null || url === null ? [] : [{ task, number, url }];
}

async function requestOf(store: EnginePorts["store"], { id }: Task): Promise<readonly OpenRequest[]> {
  const artifacts = await store.listArtifacts(id);
  const request = artifacts.findLast(({ type }) => type === "change_request");
  const number = request?.data["number"];
  return typeof number === "number" && request?.url != null ? [{ task: id, number, url: request.url }] : [];
}

interface Reading {
  readonly project: Project;
  readonly forge: Forge;
  readonly request: OpenRequest;
}

async function readOne(ports: EnginePorts, { project, forge, request }: Reading): Promise<void> {
  try {
    const now = await forge.read(request.number);
    if (now.state !== "open") await settle(ports, project, request, now);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    // Gone is closed, by whoever removed it; everything else is looked at again the next time.
    if (error.trouble === "missing") await settle(ports, project, request, { state: "closed", mergeCommit: null });
    else ports.log.warn("a change request could not be read back", { url: request.url, error: error.message });
  }
}

async function settle(
  ports: EnginePorts,
  project: Project,
  request: OpenRequest,
  { state, mergeCommit }: Pick<ChangeRequestState, "state" | "mergeCommit">,
): Promise<void> {
  const isMerged = state === "merged";
  const at = ports.clock.now();
  const event: EventDraft = {
    at,
    task: request.task,
    run: null,
    type: isMerged ? "request.merged" : "request.closed",
    level: "info",
    actor: SYSTEM,
    summary: `${request.url} was ${isMerged ? "merged" : "closed"}`,
    data: { number: request.number, url: request.url },
  };
  const task = await ports.store.getTask(request.task);
  if (task?.waitingFor?.kind === "merge") await moveOn(ports, { project, task: task.id, event });
  else await ports.store.appendEvents([event]);
  if (isMerged) await markMerged(ports, request.task, mergeCommit);
  else await markClosed(ports, request.task);
}

interface Settled {
  readonly project: Project;
  readonly task: string;
  readonly event: EventDraft;
}

async function moveOn(ports: EnginePorts, { project, task: id, event }: Settled): Promise<void> {
  const settings = await ports.projects.lastGood(project);
  await transact(ports, id, null, async (task) => {
    // A person may have decided meanwhile.
    if (task.waitingFor?.kind !== "merge") return { advance: { task, events: [], next: null } };
    const advanced = advance({
      pipeline: await pipelineOf(ports, task),
      task,
      outcome: outcomeOf(event.type === "request.merged" ? "merged" : "closed", event.summary),
      run: null,
      actor: SYSTEM,
      facts: factsOf(task, settings),
      limits: { repair: settings.repairAttempts },
      digest: ports.digest,
      at: event.at,
    });
    return { advance: advanced, events: [event] };
  });
}

/** Once for each that was closed: why? What people say becomes a rule for the nights to come. */
async function askWhy(ports: EnginePorts, project: Project): Promise<void> {
  for (const proposal of await unexplained(ports, project.name)) {
    const task = await ports.store.getTask(proposal.task);
    const event: EventDraft = {
      at: ports.clock.now(),
      task: proposal.task,
      run: null,
      type: "request.unexplained",
      level: "info",
      actor: SYSTEM,
      summary: `${proposal.url ?? proposal.title} was closed: why? nightshift rules reason ${proposal.task} wrong|not_worth_it|too_big|duplicate|style|other "…"`,
      data: { number: proposal.number, url: proposal.url, proposal: proposal.id },
    };
    const notices = task === null ? [] : await noticesFor(ports, { task, events: [event] });
    await ports.store.tell({ events: [event], notices });
    await markAsked(ports, proposal.id);
  }
}
