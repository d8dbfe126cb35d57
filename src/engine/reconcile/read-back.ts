import { advance } from "../../core/pipeline/advance.ts";
import { NIGHT_LABEL } from "../../core/nightly/describe-change.ts";
import { ConfigError, ForgeError, UserError } from "../../core/text/errors.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import { reasonCommand, WHY_CLOSED } from "../../core/notices/notice.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { Task } from "../../core/task/task.ts";
import type { ChangeRequestLook, Forge } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import { markAsked, markClosed, markMerged, markReopened, unexplained } from "../nightly/ledger.ts";
import { noticesFor } from "../deliver/notices.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { transact } from "../transact.ts";

const MOST_OPEN = 200;
/** Closed and opened again, say to start CI anew, is not closed. */
const MAY_COME_BACK_MS = 2 * 86_400_000;
const PATIENCE_MS = 10 * 60_000;
const SURE_AFTER_MS = 60_000;

/** Of all projects in turn, or out of turn of those whose forge told of something. */
type ReadBack = (told?: ReadonlySet<string>) => Promise<void>;

/** "Done" means that the forge says so: every open change request of ours is looked at again, each time it is called. */
export function createReadBack(ports: EnginePorts): ReadBack {
  const remembered = { closedBefore: new Map(), restUntil: new Map() };
  let last: Promise<void> = Promise.resolve();
  // Two that look at once would both tell of what they found.
  return async (told) => (last = last.catch(() => undefined).then(() => readAll(told)));

  async function readAll(told?: ReadonlySet<string>): Promise<void> {
    const memory: Memory = { ...remembered, isOutOfTurn: told !== undefined };
    for (const project of await ports.store.projects.listProjects()) {
      if (told?.has(project.name) === false) continue;
      if ((memory.restUntil.get(project.name) ?? 0) > ports.clock.now()) continue;
      try {
        await readProject(ports, project, memory);
      } catch (error) {
        // One project that cannot be read must not keep the others from it.
        restAfter(ports, project, memory, error);
        ports.log.warn("change requests could not be read back", { project: project.name, error: String(error) });
      }
    }
  }
}

interface Memory {
  /** What the last look found closed, and from when on it is believed: only what is so twice in a row is. */
  readonly closedBefore: Map<string, number>;
  /** Projects whose forge wants to be left alone. */
  readonly restUntil: Map<string, number>;
  /** Such looks come one soon after the other, so that two of them say little. */
  readonly isOutOfTurn: boolean;
}

function restAfter({ clock }: EnginePorts, { name }: Project, { restUntil }: Memory, error: unknown): void {
  if (error instanceof ForgeError) restUntil.set(name, error.retryAt ?? clock.now() + PATIENCE_MS);
}

async function readProject(ports: EnginePorts, project: Project, memory: Memory): Promise<void> {
  const forge = await forgeOf(ports, project);
  if (forge !== null)
    for (const request of await openRequests(ports, project)) await readOne(ports, { project, forge, request, memory });
  await askWhy(ports, project);
}

/** A forge that cannot be used now is told of by `doctor` and by whoever wants to publish. */
async function forgeOf(ports: EnginePorts, project: Project): Promise<Forge | null> {
  try {
    return ports.forges.open(project, await ports.projects.lastGood(project));
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UserError) return null;
    throw error;
  }
}

interface OpenRequest {
  readonly task: string;
  readonly number: number;
  readonly url: string;
  /** It was closed not long ago: it may have come back. */
  readonly isClosed: boolean;
}

/** Of proposals, whose tasks have ended, and of tasks that wait for the merge. */
async function openRequests({ store, clock }: EnginePorts, project: Project): Promise<readonly OpenRequest[]> {
  const of = (status: "published" | "closed") =>
    store.ledger.listProposals({ project: project.name, statuses: [status], limit: MOST_OPEN });
  const lately = clock.now() - MAY_COME_BACK_MS;
  const closed = (await of("closed")).filter(({ updatedAt }) => updatedAt > lately);
  const proposals = [...(await of("published")), ...closed];
  const waiting = await store.tasks.listTasks({
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

function ofProposal({ task, number, url, status }: Proposal): readonly OpenRequest[] {
  return number === null || url === null ? [] : [{ task, number, url, isClosed: status === "closed" }];
}

async function requestOf(store: EnginePorts["store"], { id }: Task): Promise<readonly OpenRequest[]> {
  const artifacts = await store.tasks.listArtifacts(id);
  const request = artifacts.findLast(({ type }) => type === "change_request");
  const number = request?.data["number"];
  return typeof number === "number" && request?.url != null
    ? [{ task: id, number, url: request.url, isClosed: false }]
    : [];
}

interface Reading {
  readonly project: Project;
  readonly forge: Forge;
  readonly request: OpenRequest;
  readonly memory: Memory;
}

async function readOne(ports: EnginePorts, reading: Reading): Promise<void> {
  const { project, request, memory } = reading;
  try {
    const now = await look(reading);
    if (now === null) return tellAbout(ports, request, "what stands there now is not what Nightshift opened");
    if (now.state === "open") memory.closedBefore.delete(request.url);
    if (now.state === "open" && request.isClosed) return await markReopened(ports, request.task);
    if (now.state === "open" || (now.state === "closed" && (request.isClosed || !isCertain(ports, memory, request))))
      return;
    await settle(ports, project, request, now);
  } catch (error) {
    // Of the forge or the token: the others would fail in the same way.
    if (error instanceof ForgeError) throw error;
    tellAbout(ports, request, String(error));
  }
}

type Looked = Pick<ChangeRequestLook, "state" | "mergeCommit">;

/** Null where the number is another's: the project or its forge is not the one it was. */
async function look({ forge, request }: Reading): Promise<Looked | null> {
  try {
    const now = await forge.look(request.number);
    return now.url === request.url ? now : null;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.trouble !== "missing") throw error;
    // A token that cannot see the project gets the same answer: only what is missing from a project that is there is gone.
    await forge.listOpen(NIGHT_LABEL);
    return { state: "closed", mergeCommit: null };
  }
}

function isCertain({ clock }: EnginePorts, { closedBefore, isOutOfTurn }: Memory, { url }: OpenRequest): boolean {
  const now = clock.now();
  const from = closedBefore.get(url);
  if (from !== undefined && from <= now && !isOutOfTurn) return closedBefore.delete(url);
  if (from === undefined || !isOutOfTurn) closedBefore.set(url, isOutOfTurn ? now + SURE_AFTER_MS : now);
  return false;
}

function tellAbout({ log }: EnginePorts, { url }: OpenRequest, error: string): void {
  log.warn("a change request could not be read back", { url, error });
}

async function settle(
  ports: EnginePorts,
  project: Project,
  request: OpenRequest,
  { state, mergeCommit }: Looked,
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
  const task = await ports.store.tasks.getTask(request.task);
  if (task?.waitingFor?.kind === "merge") await moveOn(ports, { project, task: task.id, event });
  else await ports.store.events.appendEvents([event]);
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
    const task = await ports.store.tasks.getTask(proposal.task);
    const event: EventDraft = {
      at: ports.clock.now(),
      task: proposal.task,
      run: null,
      type: "request.unexplained",
      level: "info",
      actor: SYSTEM,
      summary: `${proposal.url ?? proposal.title} – ${WHY_CLOSED}: ${reasonCommand(proposal.task)}`,
      data: { number: proposal.number, url: proposal.url, proposal: proposal.id },
    };
    const notices = task === null ? [] : await noticesFor(ports, { task, events: [event] });
    await ports.store.events.tell({ events: [event], notices });
    await markAsked(ports, proposal.id);
  }
}
