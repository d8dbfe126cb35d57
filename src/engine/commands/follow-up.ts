import { reopen } from "../../core/pipeline/advance/advance.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { MAX_SUMMARY } from "../../core/task/documents/context-entry.ts";
import type { Requester } from "../../core/task/requester.ts";
import { hasEnded, type Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { advanceParams } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { sourceOf } from "../run/prepare/source-of.ts";
import { outcomeOf } from "../run/step-context.ts";
import { readTask, transact, withTaskLock, type Decision } from "../transact.ts";
import type { FollowUp } from "./commands-contract.ts";
import { decisionEvent } from "./decide.ts";
import { holdForDependencies, requireDependencies, requireNoCycle } from "./dependencies.ts";
import { requireProject } from "./require/require-project.ts";
import { submit } from "./submit.ts";
import { checkGates } from "./task-commands.ts";

/**
 * Continues a task that has ended or waits for its merge, on its branch and with everything it knows. If its change was
 * merged already, a new task starts from the new base and knows the old one.
 */
export async function followUp(ports: EnginePorts, id: string, given: FollowUp, actor: Requester): Promise<Task> {
  const text = ports.secrets.redact(terminalText(given.text).trim());
  if (text === "")
    throw new UserError("invalid", "The follow-up is empty.", "Say what the task should do in addition.");
  // The lock waits for a cleanup that may be removing the task's files.
  return withTaskLock(ports, id, async () => {
    const before = await readTask(ports, id);
    const pipeline = await pipelineOf(ports, before);
    requireContinuable(before, pipeline);
    const after = await requireDependencies(ports, given.after ?? []);
    await requireNoCycle(ports, id, after);
    if (await isMerged(ports, before)) return submitFollowUp(ports, before, { ...given, text, after }, actor);
    const work = await findPublishedWork(ports, before);
    const { task } = await transact(ports, id, null, (current) => {
      requireContinuable(current, pipeline);
      return continueTask(ports, { ...current, ...work }, { text, after, pipeline }, actor);
    });
    return task;
  });
}

function requireContinuable(task: Task, { name, each }: Pipeline): void {
  const waitsForPerson = task.waitingFor?.kind === "merge" || task.waitingFor?.kind === "review";
  if (!hasEnded(task) && !waitsForPerson)
    throw new UserError(
      "conflict",
      `Cannot follow up on ${task.id}: it is ${task.status} in "${task.state}".`,
      "A follow-up needs a task that has ended or waits for its review or merge. Wait for it, or cancel it first.",
    );
  if (each !== null)
    throw new UserError(
      "conflict",
      `Cannot follow up on ${task.id}: a task of the pipeline "${name}" chooses its own work.`,
      `Submit a new task: nightshift submit --related ${task.id} "…".`,
    );
}

async function isMerged({ store }: EnginePorts, { id, outcome }: Task): Promise<boolean> {
  return outcome === "merged" || (await store.tasks.listChangeRequests([id])).get(id)?.state === "merged";
}

/** Permissions to skip a person are not inherited. */
function submitFollowUp(
  ports: EnginePorts,
  before: Task,
  { text, after, key }: FollowUp & { readonly after: readonly string[] },
  actor: Requester,
): Promise<Task> {
  const { project, pipeline, priority, size, complexity, tags, options } = before;
  const { agent, model, timeoutMs, budgetUsd } = options;
  const draft = { project, pipeline, priority, size, complexity, tags, agent, model, timeoutMs, budgetUsd };
  return submit(
    ports,
    {
      ...draft,
      title: null,
      description: text,
      autoApprove: false,
      design: false,
      withoutChecks: false,
      improve: null,
      after,
      related: before.id,
      key: key ?? null,
    },
    actor,
  );
}

/**
 * The work of a task that succeeded exists only as its published branch, which may have commits of people. All other tasks
 * keep their own commits.
 */
export async function findPublishedWork(
  ports: EnginePorts,
  task: Task,
): Promise<Partial<Pick<Task, "baseCommit" | "headCommit">>> {
  const artifacts = await ports.store.tasks.listArtifacts(task.id);
  const base = artifacts.findLast(({ type }) => type === "commit")?.data["base"];
  if (task.status !== "succeeded" || task.branch === null || typeof base !== "string") return {};
  const project = await requireProject(ports.store, task.project);
  const source = sourceOf({ ports, project, settings: await ports.projects.settings(project) });
  await ports.workspaces.sync(source);
  const headCommit = await ports.workspaces.readBranch({ ...source, branch: task.branch });
  if (headCommit !== null) return { baseCommit: base, headCommit };
  throw new UserError(
    "conflict",
    `${task.id} cannot continue: its branch ${task.branch} no longer exists at the remote.`,
    `If its change was merged, submit a new task: nightshift submit --related ${task.id} "…".`,
  );
}

interface Continuation {
  readonly text: string;
  readonly after: readonly string[];
  readonly pipeline: Pipeline;
}

async function continueTask(
  ports: EnginePorts,
  before: Task,
  { text, after, pipeline }: Continuation,
  actor: Requester,
): Promise<Decision> {
  const from = findWorkState(pipeline);
  const settings = await ports.projects.settings(await requireProject(ports.store, before.project));
  const facts = factsOf(before, settings);
  checkGates({ pipeline, facts, task: before, from, actor });
  const at = ports.clock.now();
  const outcome = outcomeOf("retry", `follow-up by ${actor.name}`);
  const summary = text.slice(0, MAX_SUMMARY);
  const task: Task = {
    ...before,
    order: null,
    waitingFor: null,
    options: { ...before.options, after },
    context: [...before.context, { kind: "feedback", source: "person", data: {}, run: null, summary, at }],
  };
  const again = reopen(advanceParams(ports, { pipeline, settings, task, outcome, actor, at }), from, {
    role: null,
    trigger: { kind: "follow_up", text, run: null },
  });
  return {
    advance: await holdForDependencies(ports, again),
    events: [
      decisionEvent(
        before,
        { name: "retry", summary: `follow-up: ${text}`, data: { decision: "follow_up" } },
        actor,
        at,
      ),
    ],
  };
}

/** The first state whose agent does the work. It knows the plan, which stays approved. */
function findWorkState({ states, start }: Pipeline): string {
  const works = Object.values(states).find(
    ({ step }) => step.kind === "agent" && ["implement", "execute"].includes(step.role),
  );
  return works?.name ?? start;
}
