import type { EventDraft } from "../core/task/event.ts";
import type { ParkedAgent } from "../core/task/parked-agent.ts";

/** Agents that start no runs for now. `commit` parks and unparks them together with the run that shows the reason. */
export interface AgentStore {
  getParked(account: string): Promise<ParkedAgent | null>;
  /** Oldest first. */
  listParked(): Promise<readonly ParkedAgent[]>;
  /** Returns tasks whose queued run waits for the account, in the order of admission. */
  listWaitingTasks(account: string, limit: number): Promise<readonly string[]>;
  /** Makes a probe of these accounts due now. No change, and no event, if none of them is parked. */
  requestProbe(accounts: readonly string[], at: number, event: EventDraft): Promise<void>;
}

/**
 * Parks, prolongs or unparks (`after` null) an agent. All tasks that wait for the agent show it as the reason. Throws a
 * StaleTaskError if the stored state is not `before`, so that the agent is parked, and people are notified, once.
 */
export interface ParkingChange {
  readonly account: string;
  readonly before: ParkedAgent | null;
  readonly after: ParkedAgent | null;
}
