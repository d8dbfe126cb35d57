import { DeliveryError, deliveryDelayMs, MAX_TRIES } from "../../core/notices/notice-delivery.ts";
import { SYSTEM } from "../../core/task/event.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { Notice } from "../../ports/store.ts";
import type { ChannelAccess, EngineHooks, EnginePorts, RedactPorts } from "../ports.ts";

const MOST_CHANNELS = 500;
/** A notifier ends by itself; this is the belt to that brace. */
const LONGEST_SEND_MS = 60_000;
const HOLD_MS = 30_000;

type DeliveryPorts = Pick<EnginePorts, "store" | "clock" | "log"> &
  RedactPorts & {
    readonly channels: Pick<ChannelAccess, "openNotifier">;
    readonly hooks: Pick<EngineHooks, "passCheckpoint">;
  };

/** Sends what stands in the outbox: every channel by itself and in its order, none of them in anybody's way. */
export interface Delivery {
  /** Starts what can be sent now, and resolves without waiting for any channel. */
  start(): Promise<void>;
  /** Lets go of what is being sent; it is sent again later. */
  stop(): Promise<void>;
}

export function createDelivery(ports: DeliveryPorts): Delivery {
  const busy = new Map<string, Promise<void>>();
  const heldUntil = new Map<string, number>();
  // Sent and not yet written down as such: a full disk must not send the same thing every second.
  const sent = new Set<number>();
  const stopping = new AbortController();

  async function start(): Promise<void> {
    const due = await ports.store.outbox.dueNotices(ports.clock.now(), MOST_CHANNELS);
    for (const notice of due) {
      const channel = JSON.stringify([notice.project, notice.channel]);
      const isHeld = (heldUntil.get(channel) ?? 0) > ports.clock.monotonic();
      if (busy.has(channel) || isHeld || stopping.signal.aborted) continue;
      busy.set(channel, handle(channel, notice));
    }
  }

  async function handle(channel: string, notice: Notice): Promise<void> {
    try {
      await send(notice);
      heldUntil.delete(channel);
    } catch (error) {
      heldUntil.set(channel, ports.clock.monotonic() + HOLD_MS);
      if (!stopping.signal.aborted)
        ports.log.error("what became of a notice cannot be written down", { notice: notice.id, error: String(error) });
    }
    busy.delete(channel);
    // A channel that is free again may have more to say; where this fails, the next tick comes.
    if (!stopping.signal.aborted) void start().catch(() => undefined);
  }

  async function send(notice: Notice): Promise<void> {
    let notifier: Notifier | null;
    try {
      notifier = await ports.channels.openNotifier(notice.project, notice.channel);
      const signal = AbortSignal.any([stopping.signal, ports.clock.timeoutSignal(LONGEST_SEND_MS)]);
      if (!sent.has(notice.id)) await notifier?.send(notice, signal);
    } catch (error) {
      // Whoever stops says nothing about the channel.
      return stopping.signal.aborted ? undefined : await putOff(ports, notice, error);
    }
    if (notifier === null) return await drop(ports, notice);
    sent.add(notice.id);
    ports.hooks.passCheckpoint("notice.sent");
    await ports.store.outbox.markDelivered(notice.id, ports.clock.now());
    sent.delete(notice.id);
  }

  return {
    start,
    async stop() {
      stopping.abort();
      await Promise.all(busy.values());
    },
  };
}

async function putOff(ports: DeliveryPorts, notice: Notice, error: unknown): Promise<void> {
  // What a channel says of its failure may hold the address with the token in it.
  const why = ports.secrets.redact(error instanceof Error ? error.message : String(error));
  const tries = notice.attempts + 1;
  const givenUp = tries >= MAX_TRIES;
  const retryAfterMs = error instanceof DeliveryError ? error.retryAfterMs : null;
  const nextAt = givenUp ? null : ports.clock.now() + deliveryDelayMs(tries, retryAfterMs);
  await ports.store.outbox.markUndelivered(notice.id, why, nextAt);
  if (givenUp) await tell(ports, notice, `${notice.channel} could not be told (${why}); given up after ${tries} tries`);
}

async function drop(ports: DeliveryPorts, notice: Notice): Promise<void> {
  const why = `${notice.channel} is no longer a channel of project ${notice.project}`;
  await ports.store.outbox.dropNotice(notice.id, why);
  await tell(ports, notice, `a message was not sent: ${why}`);
}

async function tell(ports: DeliveryPorts, notice: Notice, summary: string): Promise<void> {
  await ports.store.events.appendEvents([
    {
      at: ports.clock.now(),
      task: notice.task,
      run: null,
      type: "notice.failed",
      level: "warning",
      actor: SYSTEM,
      summary,
      data: { channel: notice.channel, project: notice.project, kind: notice.kind },
    },
  ]);
}
