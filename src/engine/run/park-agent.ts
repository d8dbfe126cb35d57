import { accountOf, resolveRun } from "../../core/settings/resolve-run.ts";
import { newEvent, type EventDraft } from "../../core/task/event.ts";
import { describeParked } from "../../core/task/describe-parked.ts";
import { decideParking, type ParkedAgent } from "../../core/task/parked-agent.ts";
import { withFullStop } from "../../core/text/with-full-stop.ts";
import { utcMinute } from "../../core/schedule/schedule.ts";
import type { ParkingChange } from "../../ports/store-agents.ts";
import type { StepContext, StepResult } from "./step-context.ts";

/** What the end of a run means for its agent. */
export interface AgentParking {
  /** The agent, if it is parked after this run. */
  readonly parked: ParkedAgent | null;
  readonly change: ParkingChange | null;
  readonly events: readonly EventDraft[];
}

export const NOT_PARKED: AgentParking = { parked: null, change: null, events: [] };

/** Reads the current state, because other runs of the agent may end at the same time. */
export async function decideAgentParking(context: StepContext, result: StepResult): Promise<AgentParking> {
  const { ports, task, settings, state, project } = context;
  const run = (await ports.store.tasks.getRun(context.run.id)) ?? context.run;
  if (run.role === null) return NOT_PARKED;
  const resolved = resolveRun(settings, state.agent, task.options, run.role);
  const account = run.account ?? accountOf(resolved, project.name);
  const before = await ports.store.agents.getParked(account);
  const at = ports.clock.now();
  const after = decideParking(before, {
    run: run.id,
    account,
    agent: run.agent ?? resolved.agent,
    outcome: result.outcome,
    hasRun: result.exit !== null,
    outputTokens: result.tokens.output,
    at,
  });
  if (after === before) return { parked: after, change: null, events: [] };
  const base = { at, task: task.id, run: run.id };
  return { parked: after, change: { account, before, after }, events: parkingEvents(base, before, after) };
}

type EventBase = Pick<EventDraft, "at" | "task" | "run">;

/** A failed probe is no news, unless the agent now has another problem. */
function parkingEvents(base: EventBase, before: ParkedAgent | null, after: ParkedAgent | null): readonly EventDraft[] {
  if (after === null) return before === null ? [] : [unparkedEvent(base, before)];
  return before?.kind === after.kind ? [] : [parkedEvent(base, after)];
}

function parkedEvent(base: EventBase, parked: ParkedAgent): EventDraft {
  const { agent, kind, until, reason } = parked;
  const said = describeParked(parked);
  return newEvent({
    ...base,
    type: "agent.parked",
    level: "warning",
    summary: `${withFullStop(said)} No other run of ${agent} starts before the next try at ${utcMinute(until)}.`,
    data: { agent, kind, until, reason },
  });
}

function unparkedEvent(base: EventBase, { agent, kind, since }: ParkedAgent): EventDraft {
  const data = { agent, kind, parked_ms: Math.max(0, base.at - since) };
  return newEvent({ ...base, type: "agent.unparked", summary: `${agent} works again; its tasks continue`, data });
}
