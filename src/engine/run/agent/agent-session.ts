import type { Role } from "../../../core/task/role.ts";
import type { Agent, AgentSession } from "../../../ports/agent.ts";
import type { StepContext } from "../step-context.ts";

/**
 * Resumes the session of the last run of the same role and agent, for example after an interruption, a limit, an answer or
 * a failed check. Roles never share a session. With `session: fresh`, the next category and the next try start a new
 * session, because a resumed session gets only the latest changes as its prompt.
 */
export async function chooseSession(
  context: StepContext,
  role: Role,
  agent: Agent,
  name: string,
): Promise<AgentSession> {
  const { ports, task, run, pipeline } = context;
  const fresh: AgentSession = { kind: "new", id: toUuid(ports.digest(`session of ${run.id} ${run.token}`)) };
  if (!agent.capabilities.sessions || context.state.workspace === "fresh") return fresh;
  if (pipeline.policy.session === "fresh" && run.trigger === null) return fresh;
  const runs = await ports.store.tasks.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const last = runs.findLast((each) => each.id !== run.id && each.role === role && each.agent === name);
  // Resuming a session that was too long would fail again.
  if (last === undefined || last.sessionId === null || last.outcome === "context_too_long") return fresh;
  return { kind: "resume", id: last.sessionId };
}

/** CLIs require a version 4 UUID. */
function toUuid(hex: string): string {
  const part = (from: number, to: number): string => hex.slice(from, to);
  return [part(0, 8), part(8, 12), `4${part(13, 16)}`, `8${part(17, 20)}`, part(20, 32)].join("-");
}
