import { newEvent } from "../../core/task/event.ts";
import { withAgent, type ParkedAgent } from "../../core/task/parked-agent.ts";
import type { Task } from "../../core/task/task.ts";
import { findAccount } from "../find-account.ts";
import type { EnginePorts } from "../ports.ts";
import { transact, type Decision } from "../transact.ts";

const MAX_TASKS = 200;

/** Lets agents that wait for a login or a quota be tried now: the daemon was started, or a key was changed. */
export async function probeAfterLogin({ store, clock }: EnginePorts, reason: string): Promise<void> {
  const parked = (await store.agents.listParked()).filter(({ kind }) => kind !== "provider");
  const agents = parked.map(({ agent }) => agent);
  const event = newEvent({
    at: clock.now(),
    type: "agent.retried",
    summary: `${reason}: ${agents.join(", ")} will be tried now`,
    data: { agents },
  });
  const accounts = parked.map(({ account }) => account);
  await store.agents.requestProbe(accounts, clock.now(), event);
}

/**
 * Moves tasks that wait for a parked agent to another one: if the settings now name another agent, or if the quota is used up
 * and the project has a fallback agent.
 */
export async function moveWaitingTasks(ports: EnginePorts): Promise<void> {
  for (const parked of await ports.store.agents.listParked())
    for (const id of await ports.store.agents.listWaitingTasks(parked.account, MAX_TASKS)) {
      const task = await ports.store.tasks.getTask(id);
      // Most tasks stay, so they are not written.
      if (task === null || (await findMove(ports, task, parked)) === null) continue;
      await transact(ports, id, null, async (before) =>
        applyMove(ports, before, await findMove(ports, before, parked)),
      );
    }
}

interface Move {
  readonly account: string;
  readonly agent: string;
  /** The fallback agent also does the rest of the task. */
  readonly isFallback: boolean;
}

/** Null if the task has to wait. */
async function findMove(ports: EnginePorts, task: Task, parked: ParkedAgent): Promise<Move | null> {
  const [run] = await ports.store.tasks.listRuns({ task: task.id, status: ["queued"], project: null, limit: 1 });
  if (run?.account !== parked.account) return null;
  const found = await findAccount(ports, task, run);
  if (found === null) return null;
  if (found.account !== parked.account) return { account: found.account, agent: found.run.agent, isFallback: false };
  const agent = found.settings.fallbackAgent;
  if (parked.kind !== "quota" || agent === null || task.options.variantOf !== undefined) return null;
  const account = (await findAccount(ports, withAgent(task, agent), run))?.account ?? parked.account;
  if (account === parked.account || (await ports.store.agents.getParked(account)) !== null) return null;
  return { account, agent, isFallback: true };
}

function applyMove({ clock }: EnginePorts, before: Task, move: Move | null): Decision {
  if (move === null) return { advance: { task: before, events: [], next: null } };
  const { account, agent, isFallback } = move;
  const at = clock.now();
  const task = isFallback ? withAgent(before, agent) : before;
  const queuedFor = task.queuedFor?.agent === undefined ? task.queuedFor : null;
  const summary = `${agent} takes over, because the task's agent is parked`;
  const event = newEvent({ at, task: task.id, type: "run.note", level: "warning", summary, data: { agent } });
  return { advance: { task: { ...task, queuedFor, updatedAt: at }, events: [event], next: null }, account };
}
