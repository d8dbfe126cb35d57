import { editablePlan } from "../../core/outcomes/execution-plan.ts";
import { newVersion, newestOf, toRef, type TaskDocument } from "../../core/task/documents/document.ts";
import { isInPlace } from "../../core/task/in-place.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { findProblems } from "../run/plan/check-plan.ts";
import type { Work } from "../run/step-context.ts";
import { requireProject } from "./require/require-project.ts";

export interface EditedPlan {
  /** Waits for the approval of the edited plan. */
  readonly task: Task;
  readonly document: TaskDocument;
}

/** Replaces the plan that a task waits with by a person's own version, which must be as valid as an agent's. */
export async function editPlan(ports: EnginePorts, task: Task, edited: unknown): Promise<EditedPlan> {
  const pipeline = await pipelineOf(ports, task);
  const newest = newestOf(task.documents, "plan");
  const { waitingFor } = task;
  const work = workOf(task);
  const isPlan = newest !== null && waitingFor?.kind === "approval" && waitingFor.planHash === newest.hash;
  if (pipeline.plan !== "execution" || !isPlan || work === undefined)
    throw new UserError("invalid", "Only the plan of a staged task can be edited.", "Ask for another one with revise.");
  const parsed = editablePlan.safeParse(edited);
  if (!parsed.success)
    throw refusal(parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the plan"}: ${message}`));
  const project = await requireProject(ports.store, task.project);
  const settings = await ports.projects.settings(project);
  const context = { ports, task, project, settings, pipeline };
  const problems = await findProblems(context, work, parsed.data);
  if (problems.length > 0) throw refusal(problems);
  const content = { ...parsed.data, problems: [] };
  const by = { run: newest.run, at: ports.clock.now(), digest: ports.digest };
  const document = newVersion({ kind: "plan", content }, task.documents, by);
  return { document, task: waitWith(task, document, waitingFor.since) };
}

/** Null if the task works in place. Undefined if it has no commits yet. */
function workOf(task: Task): Work | null | undefined {
  const { baseCommit, headCommit } = task;
  if (isInPlace(task)) return null;
  return baseCommit === null || headCommit === null ? undefined : { baseCommit, headCommit };
}

function waitWith(task: Task, document: TaskDocument, since: number): Task {
  const { hash, version, content } = document;
  return {
    ...task,
    plan: content,
    planHash: hash,
    documents: [...task.documents, toRef(document)],
    waitingFor: { kind: "approval", planHash: hash, document: { kind: "plan", version }, since },
  };
}

function refusal(problems: readonly string[]): UserError {
  return new UserError(
    "invalid",
    `The edited plan cannot be used:\n${problems.map((each) => `- ${each}`).join("\n")}`,
    "The plan was not approved. Correct it and approve it again.",
  );
}
