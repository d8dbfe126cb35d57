import { readExecutionPlan, writableDirectories } from "../../core/outcomes/execution-plan.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { isInPlace } from "../../core/task/in-place.ts";
import type { Run } from "../../core/task/run.ts";
import type { Task, Trigger } from "../../core/task/task.ts";
import { placeDirectories } from "../../policy/access/grant.ts";
import type { AgentSession } from "../../ports/agent.ts";
import type { EnginePorts } from "../ports.ts";
import { wasStarted } from "./run-jobs.ts";
import { StepEnd, type StepContext } from "./step-context.ts";

/**
 * Whether the engine may run the step again by itself. An agent may have changed a person's files before it failed, so it only
 * continues in its own session, which knows what it did. Otherwise a person decides.
 */
export async function mayRepeat(context: StepContext, { name }: Pick<Outcome, "name">): Promise<boolean> {
  const { ports, run } = context;
  if (!changesFilesDirectly(context)) return true;
  if (!(await wasStarted(ports, run.id))) return !(await wasExecuted(context));
  // An agent that removes a secret from a person's file may remove more than it wrote. A long session cannot be continued.
  if (name === "policy_failed" || name === "context_too_long") return false;
  return (await ports.store.tasks.getRun(run.id))?.sessionId != null;
}

/** Refuses to start over: the settings may have changed since `mayRepeat` allowed to continue, or the session may be gone. */
export async function requireSession(context: StepContext, session: AgentSession): Promise<void> {
  if (session.kind === "resume" || !isAutomatic(context.run.trigger) || !changesFilesDirectly(context)) return;
  if (await wasExecuted(context)) throw new StepEnd("interrupted", "The agent's session cannot be continued.");
}

/** Whether the run writes to a person's own directories. A workspace can be thrown away. */
export function changesFilesDirectly({ run, task, project }: Pick<StepContext, "run" | "task" | "project">): boolean {
  if (run.role !== "execute") return false;
  return isInPlace(task) || writesOutside(task, project.path);
}

function writesOutside({ plan }: Pick<Task, "plan">, root: string | null): boolean {
  const approved = readExecutionPlan(plan);
  if (approved === null) return false;
  return placeDirectories({ root: root ?? "/project", directories: writableDirectories(approved) }).outside.length > 0;
}

/** The engine repeats a step because of the run before. A person's decision has no run. */
function isAutomatic(trigger: Trigger | null): boolean {
  if (trigger === null) return false;
  const { kind, run } = trigger;
  return kind === "resume" || kind === "report" || ((kind === "errors" || kind === "retry") && run !== null);
}

async function wasExecuted({ ports, task, run }: StepContext): Promise<boolean> {
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: MAX_RUNS });
  const earlier = runs.filter(({ id, role }) => role === "execute" && id !== run.id);
  return (await Promise.all(earlier.map((each) => wasRunStarted(ports, each)))).includes(true);
}

const MAX_RUNS = 1_000;

async function wasRunStarted(ports: EnginePorts, { id }: Run): Promise<boolean> {
  return wasStarted(ports, id);
}
