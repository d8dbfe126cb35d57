import { NIGHT_LABEL } from "../../core/nightly/describe-change.ts";
import { ConfigError, ForgeError, UserError } from "../../core/text/errors.ts";
import { newEvent, type EventDraft } from "../../core/task/event.ts";
import { reasonCommand, WHY_CLOSED } from "../../core/notices/notice.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { Task } from "../../core/task/task.ts";
import type { ChangeRequestLook, ChangeRequestState, Forge } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import { markAsked, markClosed, markMerged, markReopened, listUnexplained } from "../nightly/ledger.ts";
import { noticesFor } from "../deliver/notices.ts";
import type { EnginePorts } from "../ports.ts";
import { createCommentPauses, type CommentPauses } from "./comment-pauses.ts";
import { endMergeWait, waitsForMerge } from "./end-merge-wait.ts";
import type { Outages } from "./outages.ts";
import { createPollTimes, type PollTimes } from "./poll-times.ts";
import { reactToRequest } from "./react-to-request.ts";

const MAX_OPEN = 200;
/** A request may be closed and reopened, for example to restart CI. */
const REOPEN_WINDOW_MS = 2 * 86_400_000;
const CONFIRM_AFTER_MS = 60_000;

export interface ReadBackParams {
  /** Only these projects, because their forge reported an event. */
  readonly triggered?: ReadonlySet<string>;
  /** Only change requests of tasks that wait for them. */
  readonly onlyTasks?: boolean;
}

type ReadBack = (params?: ReadBackParams) => Promise<void>;

/**
 * Reads open change requests from the forge and applies what happened to them. Those of proposals are read each time, those of
 * waiting tasks when they are due.
 */
export function createReadBack(ports: EnginePorts, outages: Outages): ReadBack {
  const shared = { outages, closedUrls: new Map(), pollTimes: createPollTimes(), commentPauses: createCommentPauses() };
  let last: Promise<void> = Promise.resolve();
  // Serialized, because two concurrent read-backs would report the same change twice.
  return async (params = {}) => (last = last.catch(() => undefined).then(() => readAll(params)));

  async function readAll({ triggered, onlyTasks = false }: ReadBackParams): Promise<void> {
    const state: ReadBackState = { ...shared, isTriggered: triggered !== undefined, onlyTasks };
    for (const project of await ports.store.projects.listProjects()) {
      if (triggered?.has(project.name) === false) continue;
      await outages.read(project, () => readProject(ports, project, state));
    }
  }
}

interface ReadBackState {
  /** URLs last seen closed, and when a second look may confirm it. Only a request seen closed twice in a row counts. */
  readonly closedUrls: Map<string, number>;
  readonly outages: Outages;
  readonly pollTimes: PollTimes;
  readonly commentPauses: CommentPauses;
  /** Triggered by a webhook. Such read-backs follow each other closely, so they cannot confirm a closing. */
  readonly isTriggered: boolean;
  readonly onlyTasks: boolean;
}

/** Returns whether the forge was asked. */
async function readProject(ports: EnginePorts, project: Project, state: ReadBackState): Promise<boolean> {
  const forge = await openForge(ports, project);
  const requests = forge === null ? [] : await listOpenRequests(ports, project, state);
  for (const request of requests) if (forge !== null) await readOne(ports, { project, forge, request, state });
  if (!state.onlyTasks) await askForReasons(ports, project);
  return requests.length > 0;
}

/** Null if the forge cannot be used. `doctor` and the publish step report the reason. */
async function openForge(ports: EnginePorts, project: Project): Promise<Forge | null> {
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
  /** It was closed recently and may have been reopened. */
  readonly isClosed: boolean;
  /** Since when a task waits for it. Null for a proposal, whose task has ended. */
  readonly waitsSince: number | null;
}

/** The requests of published proposals and of tasks that wait for a merge. */
async function listOpenRequests(
  ports: EnginePorts,
  project: Project,
  state: ReadBackState,
): Promise<readonly OpenRequest[]> {
  const proposals = state.onlyTasks ? [] : await listProposedRequests(ports, project);
  const now = ports.clock.now();
  const waiting = await listWaitingRequests(ports, project);
  const due = waiting.filter(
    ({ url, waitsSince }) =>
      state.isTriggered ||
      state.outages.isDown(project.name) ||
      state.closedUrls.has(url) ||
      state.commentPauses.isDue(url, now) ||
      state.pollTimes.takeIfDue(url, waitsSince ?? now, now),
  );
  return [...proposals, ...due];
}

async function listProposedRequests({ store, clock }: EnginePorts, project: Project): Promise<readonly OpenRequest[]> {
  const listByStatus = (status: "published" | "closed") =>
    store.ledger.listProposals({ project: project.name, statuses: [status], limit: MAX_OPEN });
  const reopenableSince = clock.now() - REOPEN_WINDOW_MS;
  const closed = (await listByStatus("closed")).filter(({ updatedAt }) => updatedAt > reopenableSince);
  return [...(await listByStatus("published")), ...closed].flatMap(toOpenRequest);
}

async function listWaitingRequests({ store }: EnginePorts, project: Project): Promise<readonly OpenRequest[]> {
  const waiting = await store.tasks.listTasks({
    status: ["waiting"],
    state: null,
    project: project.name,
    cursor: null,
    limit: MAX_OPEN,
  });
  const taskRequests = await Promise.all(
    waiting.rows.filter(waitsForMerge).map((task) => findRequestOfTask(store, task)),
  );
  return taskRequests.flat();
}

function toOpenRequest({ task, number, url, status }: Proposal): readonly OpenRequest[] {
  return number === null || url === null
    ? []
    : [{ task, number, url, isClosed: status === "closed", waitsSince: null }];
}

async function findRequestOfTask(
  store: EnginePorts["store"],
  { id, waitingFor, updatedAt }: Task,
): Promise<readonly OpenRequest[]> {
  const artifacts = await store.tasks.listArtifacts(id);
  const request = artifacts.findLast(({ type }) => type === "change_request");
  const number = request?.data["number"];
  return typeof number === "number" && request?.url != null
    ? [{ task: id, number, url: request.url, isClosed: false, waitsSince: waitingFor?.since ?? updatedAt }]
    : [];
}

interface Reading {
  readonly project: Project;
  readonly forge: Forge;
  readonly request: OpenRequest;
  readonly state: ReadBackState;
}

async function readOne(ports: EnginePorts, reading: Reading): Promise<void> {
  const { project, request, state } = reading;
  try {
    const now = await readRequest(reading);
    if (now === null)
      return warnAbout(ports, request, "the change request at this number is not the one that Nightshift opened");
    if (now.state === "open") state.closedUrls.delete(request.url);
    if (now.state === "open" && request.isClosed) return await applyReopened(ports, request);
    if (now.state === "open" && "comments" in now)
      return await reactToRequest(ports, {
        project,
        forge: reading.forge,
        task: request.task,
        request: now,
        commentPauses: state.commentPauses,
      });
    if (now.state === "open" || (now.state === "closed" && (request.isClosed || !isConfirmed(ports, state, request))))
      return;
    await applyState(ports, project, request, now);
  } catch (error) {
    // A problem of the forge or the token, which affects all other requests too.
    if (error instanceof ForgeError) throw error;
    warnAbout(ports, request, String(error));
  }
}

type RequestState = ChangeRequestState | Pick<ChangeRequestLook, "state" | "mergeCommit">;

/** Null if the number belongs to another request, because the project or its forge was replaced. */
async function readRequest({ forge, request }: Reading): Promise<RequestState | null> {
  try {
    const isWaiting = request.waitsSince !== null;
    const now = await (isWaiting ? forge.read(request.number) : forge.readState(request.number));
    return now.url === request.url ? now : null;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.trouble !== "missing") throw error;
    // A token without access to the project gets the same error. This call fails then, so the request is not taken as closed.
    await forge.listOpen(NIGHT_LABEL);
    return { state: "closed", mergeCommit: null };
  }
}

function isConfirmed(
  { clock }: EnginePorts,
  { closedUrls, isTriggered }: ReadBackState,
  { url, waitsSince }: OpenRequest,
): boolean {
  const now = clock.now();
  const from = closedUrls.get(url);
  if (from !== undefined && from <= now && !isTriggered) return closedUrls.delete(url);
  const confirmAt = isTriggered || waitsSince !== null ? now + CONFIRM_AFTER_MS : now;
  // Never later than what an earlier look said: a task's closed request is read every few seconds.
  if (from === undefined || (!isTriggered && confirmAt < from)) closedUrls.set(url, confirmAt);
  return false;
}

function warnAbout({ log }: EnginePorts, { url }: OpenRequest, error: string): void {
  log.warn("a change request could not be read back", { url, error });
}

async function applyState(
  ports: EnginePorts,
  project: Project,
  request: OpenRequest,
  { state, mergeCommit }: RequestState,
): Promise<void> {
  const isMerged = state === "merged";
  const at = ports.clock.now();
  const event: EventDraft = newEvent({
    at,
    task: request.task,
    type: isMerged ? "request.merged" : "request.closed",
    summary: `${request.url} was ${isMerged ? "merged" : "closed"}`,
    data: { number: request.number, url: request.url },
  });
  const task = await ports.store.tasks.getTask(request.task);
  if (task !== null && waitsForMerge(task)) await endMergeWait(ports, { project, task: task.id, event });
  else await ports.store.events.appendEvents([event]);
  if (isMerged) await markMerged(ports, request.task, mergeCommit);
  else await markClosed(ports, request.task);
}

async function applyReopened(ports: EnginePorts, { task, number, url }: OpenRequest): Promise<void> {
  await ports.store.events.appendEvents([
    newEvent({
      at: ports.clock.now(),
      task,
      type: "request.reopened",
      summary: `${url} was reopened`,
      data: { number, url },
    }),
  ]);
  await markReopened(ports, task);
}

/** Asks once for each closed request why it was closed. The answer becomes a rule for later nights. */
async function askForReasons(ports: EnginePorts, project: Project): Promise<void> {
  for (const proposal of await listUnexplained(ports, project.name)) {
    const task = await ports.store.tasks.getTask(proposal.task);
    const event: EventDraft = newEvent({
      at: ports.clock.now(),
      task: proposal.task,
      type: "request.unexplained",
      summary: `${proposal.url ?? proposal.title} – ${WHY_CLOSED}: ${reasonCommand(proposal.task)}`,
      data: { number: proposal.number, url: proposal.url, proposal: proposal.id },
    });
    const notices = task === null ? [] : await noticesFor(ports, { task, events: [event] });
    await ports.store.events.appendWithNotices({ events: [event], notices });
    await markAsked(ports, proposal.id);
  }
}
