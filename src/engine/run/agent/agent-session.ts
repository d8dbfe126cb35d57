import type { Role } from "../../../core/task/role.ts";
import type { Agent, AgentSession } from "../../../ports/agent.ts";
import type { StepContext } from "../step-context.ts";

/**
 * Goes on where the last run of the same role by the same agent stopped, if that was a session that can be gone on with:
 * after an interruption, a limit, an answer, a failed check. Nobody goes on in another role's session. With `session: fresh`
 * the next category and the next try start a new one, because a session that goes on is only told the news.
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
  // A session that was too long is no shorter the next time.
  if (last === undefined || last.sessionId === null || last.outcome === "context_too_long") return fresh;
  return { kind: "resume", id: last.sessionId };
}

/** The form that CLIs demand: version 4, whatever it was made of. */
function toUuid(hex: string): string {
  const part = (from: number, to: number): string => hex.slice(from, to);
  return [part(0, 8), part(8, 12), `4${part(13, 16)}`, `8${part(17, 20)}`, part(20, 32)].join("-");
}
