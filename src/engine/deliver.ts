import { backoffDelayMs } from "../core/retry.ts";
import { SYSTEM } from "../core/event.ts";
import type { Notice } from "../ports/store.ts";
import type { EnginePorts } from "./ports.ts";

const BATCH = 20;
const MAX_TRIES = 8;

/** Sends what stands in the outbox. A channel that fails is tried again later and hurts nobody else. */
export async function deliver(ports: EnginePorts): Promise<void> {
  const due = await ports.store.dueNotices(ports.clock.now(), BATCH);
  await Promise.all(due.map((notice) => send(ports, notice)));
  if (due.length === BATCH) await deliver(ports);
}

async function send(ports: EnginePorts, notice: Notice): Promise<void> {
  const notifier = ports.notifiers.find(({ channel }) => channel === notice.channel);
  try {
    if (notifier === undefined) throw new Error(`there is no channel "${notice.channel}" any more`);
    await notifier.send(notice);
    ports.pass("notice.sent");
    await ports.store.markDelivered(notice.id, ports.clock.now());
  } catch (error) {
    // What a channel says of its failure may hold the address with the token in it.
    await putOff(ports, notice, ports.redact(error instanceof Error ? error.message : String(error)));
  }
}

async function putOff(ports: EnginePorts, notice: Notice, error: string): Promise<void> {
  const tries = notice.attempts + 1;
  const givenUp = tries >= MAX_TRIES;
  await ports.store.markUndelivered(notice.id, error, givenUp ? null : ports.clock.now() + backoffDelayMs(tries));
  if (!givenUp) return;
  await ports.store.appendEvents([
    {
      at: ports.clock.now(),
      task: notice.task,
      run: null,
      type: "notice.failed",
      level: "warning",
      actor: SYSTEM,
      summary: `${notice.channel} could not be told (${error}); given up after ${tries} tries`,
      data: { channel: notice.channel },
    },
  ]);
}
