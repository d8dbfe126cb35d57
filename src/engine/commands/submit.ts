import { branchName } from "../../core/task/branch-name.ts";
import { UserError } from "../../core/text/errors.ts";
import { newEvent, SYSTEM, type Actor, type EventDraft } from "../../core/task/event.ts";
import { postsReview } from "../../core/pipeline/pipeline-graph.ts";
import { findStopState } from "../../core/pipeline/stop-after.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { ReviewedRequest, Task, TaskIssue } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { terminalLine, terminalText } from "../../core/text/terminal-text.ts";
import type { Project } from "../../ports/store.ts";
import { noticesFor } from "../deliver/notices.ts";
import { admissionNow, factsOf, type EnginePorts } from "../ports.ts";
import { outcomeOf } from "../run/step-context.ts";
import { weekdayOf, startPipeline, buildItems } from "../nightly/start-walk.ts";
import { enqueueRuns, toNewRun } from "../transact.ts";
import { createAgents, requireKeys } from "./require/require-agents.ts";
import { requireAcceptedChecks } from "./require/require-accepted-checks.ts";
import { readIssueIntoDraft } from "./read-issue.ts";
import { findProjectOfRequest, readRequestIntoDraft } from "./read-request.ts";
import { requireAllowedDirectories } from "./require/require-directories.ts";
import { requirePlanning } from "./require/require-planning.ts";
import { holdForDependencies, requireDependencies, requireRelated } from "./dependencies.ts";
import { requirePlace } from "./require/require-place.ts";
import { requireProject } from "./require/require-project.ts";
import { requireVariants } from "./variants/require-variants.ts";
import { schedulesOf } from "../../core/schedule/schedule.ts";
import type { ScheduleRunDraft } from "./commands-contract.ts";
import { draftScheduledTask } from "./draft-task.ts";

const MAX_DESCRIPTION = 1_000_000;
const MAX_TITLE = 120;
const MAX_TAG = 40;

/** Validates the whole draft, then writes the task, its first run and its events in one transaction. */
export async function submit(ports: EnginePorts, draft: TaskDraft, actor: Actor): Promise<Task> {
  const {
    project,
    settings,
    pipeline,
    text,
    task: drafted,
    issue,
    request,
    related: own,
  } = await draftTask(ports, draft, actor);
  const inPlace = requirePlace(project, pipeline, draft);
  const unchecked = await requireAcceptedChecks(ports, project, draft.withoutChecks);
  // A schedule does not fail: its task waits for the key, and a notice says so.
  if (actor.kind !== "system") requireKeys(ports, { pipeline, settings, task: drafted });
  if (draft.bestOf !== undefined) await requireVariants(ports, draft.bestOf, { pipeline, settings, task: drafted });
  const after = await requireDependencies(ports, draft.after ?? []);
  const related = await requireRelated(ports, draft.related ?? own);
  const facts = factsOf(drafted, settings);
  const task: Task = {
    ...drafted,
    options: {
      ...drafted.options,
      unchecked,
      ...(after.length > 0 && { after }),
      ...(draft.allowOverlap === true && { allowOverlap: true }),
      ...(inPlace && { inPlace }),
      ...(draft.until != null && { until: { state: findStopState(pipeline, facts, draft.until), reached: false } }),
      ...(related !== null && { related }),
      ...(issue !== null && { issue }),
      ...(request !== null && { request }),
    },
  };
  await ports.store.projects.keepPipeline(pipeline.hash, pipeline.name, text);
  const begun = startPipeline(
    {
      pipeline,
      task,
      outcome: outcomeOf("retry", "submitted"),
      run: null,
      actor,
      facts,
      limits: {},
      digest: ports.digest,
      at: task.createdAt,
    },
    weekdayOf(draft.improve, settings, task.createdAt),
  );
  const first = await holdForDependencies(ports, begun);
  // `task.submitted` already names the first state, so its `task.state` event is dropped.
  const events = [submittedEvent(task, actor), ...first.events.filter(({ type }) => type !== "task.state")];
  const result = await ports.store.tasks.createTask({
    task: first.task,
    run: first.next === null ? null : await toNewRun(ports, first.task, first.next),
    events,
    notices: await noticesFor(ports, { task: first.task, events }),
    key: draft.key,
    admission: admissionNow(ports),
    requireProject: true,
  });
  ports.hooks.passCheckpoint("submit.committed");
  await enqueueRuns(ports, result);
  return result.task;
}

export interface DraftedTask {
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly text: string;
  readonly task: Task;
  readonly issue: TaskIssue | null;
  readonly request: ReviewedRequest | null;
  /** The task that opened the change request. Null if it was not one of ours. */
  readonly related: string | null;
}

/** Builds and validates a task without storing it. */
export async function draftTask(ports: EnginePorts, written: TaskDraft, actor: Actor = SYSTEM): Promise<DraftedTask> {
  const { draft: given, number } = await findProjectOfRequest(ports, written);
  const project = await requireProject(ports.store, given.project);
  // A person gets an error for broken settings. A schedule continues with the last good ones.
  const settings = await (actor.kind === "system"
    ? ports.projects.lastGood(project)
    : ports.projects.settings(project));
  const { pipeline, text } = await ports.projects.pipeline(project, given.pipeline);
  const { draft: withIssue, issue } = await readIssueIntoDraft(ports, given, { project, settings });
  const read = await readRequestIntoDraft(ports, withIssue, { project, settings, pipeline, number });
  requirePlanning(pipeline, read.draft);
  requireAllowedDirectories(ports, { pipeline, project, directories: read.draft.allowDirs ?? [] });
  const task = makeTask(ports, { draft: read.draft, actor, settings, pipeline });
  createAgents(ports, { pipeline, settings, task });
  return { project, settings, pipeline, text, task, issue, request: read.request, related: read.related };
}

interface TaskParams {
  readonly draft: TaskDraft;
  readonly actor: Actor;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
}

export function makeTask(ports: EnginePorts, { draft, actor, settings, pipeline }: TaskParams): Task {
  const description = ports.secrets.redact(checkDescription(draft.description));
  const title = ports.secrets.redact(titleOf(draft.title ?? description));
  const id = ports.clock.newId("task");
  const at = ports.clock.now();
  return {
    id,
    version: 1,
    title,
    description,
    project: draft.project,
    pipeline: pipeline.name,
    pipelineHash: pipeline.hash,
    state: pipeline.start,
    status: "queued",
    waitingFor: null,
    queuedFor: null,
    priority: draft.priority,
    size: draft.size,
    complexity: draft.complexity,
    tags: draft.tags.map((tag) => terminalLine(tag, MAX_TAG)),
    options: {
      agent: draft.agent,
      model: draft.model,
      timeoutMs: draft.timeoutMs,
      ...(draft.planningTimeoutMs != null && { planningTimeoutMs: draft.planningTimeoutMs }),
      budgetUsd: draft.budgetUsd,
      ...(draft.maxTurns != null && { maxTurns: draft.maxTurns }),
      autoApprove: draft.autoApprove,
      ...(draft.allowDirs !== undefined && draft.allowDirs.length > 0 && { allowDirs: draft.allowDirs }),
      design: draft.design,
      ...(draft.bestOf !== undefined && { bestOf: draft.bestOf }),
    },
    counters: {},
    items: buildItems({ improve: draft.improve, pipeline, settings, at }),
    // With a template of its own, the branch is named after the finished change when it is published. A review has none.
    branch:
      pipeline.policy.branch === null && !postsReview(pipeline)
        ? branchName(settings.workspace.branch, { id, title })
        : null,
    baseCommit: null,
    headCommit: null,
    published: null,
    plan: null,
    planHash: null,
    documents: [],
    subtasks: [],
    approvedStates: [],
    context: [],
    conversation: [],
    trigger: null,
    order: null,
    outcome: null,
    reason: null,
    submittedBy: actor.name,
    createdAt: at,
    updatedAt: at,
    finishedAt: null,
  };
}

/** Removes escape sequences and NUL. Everything else stays as written. */
function checkDescription(text: string): string {
  if (text.length > MAX_DESCRIPTION)
    throw new UserError(
      "invalid",
      `The description has ${text.length} characters. At most ${MAX_DESCRIPTION} are allowed.`,
      "Put the long part into a file of the repository and refer to that file.",
    );
  const description = terminalText(text).trim();
  if (description === "")
    throw new UserError("invalid", "The description is empty.", "Describe the task in at least one sentence.");
  return description;
}

function titleOf(text: string): string {
  return terminalLine(text.trim().split("\n")[0] ?? "", MAX_TITLE);
}

function submittedEvent(task: Task, actor: Actor): EventDraft {
  return newEvent({
    at: task.createdAt,
    task: task.id,
    type: "task.submitted",
    actor,
    summary: task.title,
    data: { pipeline: task.pipeline, project: task.project, state: task.state },
  });
}

/** Starts the work of a schedule now. Its regular times do not change. */
export async function runSchedule(
  ports: EnginePorts,
  { project, name, key }: ScheduleRunDraft,
  actor: Actor,
): Promise<Task> {
  const settings = await ports.projects.settings(await requireProject(ports.store, project));
  const schedules = schedulesOf(settings);
  const schedule = schedules.find((each) => each.name === name);
  if (schedule === undefined) {
    const known = schedules.map((each) => each.name).join(", ") || "none";
    throw new UserError(
      "not_found",
      `${project} has no schedule "${name}". It has: ${known}.`,
      "`nightshift schedule` lists them.",
    );
  }
  return submit(ports, { ...draftScheduledTask(project, schedule), key }, actor);
}
