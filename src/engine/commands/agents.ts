import { newEvent, type Actor } from "../../core/task/event.ts";
import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import { UserError } from "../../core/text/errors.ts";
import { admissionNow, type EnginePorts } from "../ports.ts";

/** Tries a parked agent now instead of at its next probe. Several accounts can have the same agent. */
export async function retryAgent(ports: EnginePorts, name: string, actor: Actor): Promise<readonly ParkedAgent[]> {
  const { store, clock, courier } = ports;
  const all = await store.agents.listParked();
  const parked = all.filter(({ agent, account }) => agent === name || account === name);
  if (parked.length === 0) throw notParked(name, all);
  const at = clock.now();
  const accounts = parked.map(({ account }) => account);
  await store.agents.requestProbe(
    accounts,
    at,
    newEvent({
      at,
      type: "agent.retried",
      actor,
      summary: `${name} will be tried now (${actor.name})`,
      data: { agents: [name] },
    }),
  );
  for (const run of await store.tasks.admit(admissionNow(ports))) await courier.submit(run);
  return (await store.agents.listParked()).filter(({ account }) => accounts.includes(account));
}

function notParked(name: string, parked: readonly ParkedAgent[]): UserError {
  const names = [...new Set(parked.map(({ agent }) => agent))].join(", ");
  return new UserError(
    "conflict",
    `The agent ${name} is not parked.`,
    names === "" ? "No agent is parked, so there is nothing to retry." : `Parked agents: ${names}.`,
  );
}
