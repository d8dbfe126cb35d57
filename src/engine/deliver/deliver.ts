import { DeliveryError, deliveryDelayMs, MAX_TRIES } from "../../core/notices/notice-delivery.ts";
import { CHANGE_REQUEST, REVIEW_COMMENTS } from "../../core/notices/notice.ts";
import { newEvent } from "../../core/task/event.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { Notice } from "../../ports/store.ts";
import type { ChannelAccess, EngineHooks, EnginePorts, RedactPorts } from "../ports.ts";

const MAX_CHANNELS = 500;
/** Notifiers have their own timeouts; this one is a safeguard. */
const SEND_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 30_000;

type DeliveryPorts = Pick<EnginePorts, "store" | "clock" | "log"> &
  RedactPorts & {
    readonly channels: Pick<ChannelAccess, "openNotifier">;
    readonly hooks: Pick<EngineHooks, "passCheckpoint">;
  };

/** Sends the notices in the outbox. Each channel is independent and receives its notices in order. */
export interface Delivery {
  /** Starts sending what is due, and resolves without waiting for any channel. */
  start(): Promise<void>;
  /** Aborts what is being sent. It is sent again later. */
  stop(): Promise<void>;
}

export function createDelivery(ports: DeliveryPorts): Delivery {
  const busy = new Map<string, Promise<void>>();
  const pausedUntil = new Map<string, number>();
  // Sent but not yet marked as delivered, so that a full disk does not cause the same notice to be sent every second.
  const sent = new Set<number>();
  const stopping = new AbortController();

  async function start(): Promise<void> {
    const due = await ports.store.outbox.dueNotices(ports.clock.now(), MAX_CHANNELS);
    for (const notice of due) {
      const channel = JSON.stringify([notice.project, notice.channel]);
      const isPaused = (pausedUntil.get(channel) ?? 0) > ports.clock.monotonic();
      if (busy.has(channel) || isPaused || stopping.signal.aborted) continue;
      busy.set(channel, deliver(channel, notice));
    }
  }

  async function deliver(channel: string, notice: Notice): Promise<void> {
    try {
      await send(notice);
      pausedUntil.delete(channel);
    } catch (error) {
      pausedUntil.set(channel, ports.clock.monotonic() + RETRY_DELAY_MS);
      if (!stopping.signal.aborted)
        ports.log.error("a delivery result could not be saved", { notice: notice.id, error: String(error) });
    }
    busy.delete(channel);
    // The channel may have more notices. If this fails, the next tick tries again.
    if (!stopping.signal.aborted) void start().catch(() => undefined);
  }

  async function send(notice: Notice): Promise<void> {
    let notifier: Notifier | null;
    try {
      notifier = await ports.channels.openNotifier(notice.project, notice.channel);
      const signal = AbortSignal.any([stopping.signal, ports.clock.timeoutSignal(SEND_TIMEOUT_MS)]);
      if (!sent.has(notice.id)) await notifier?.send(notice, signal);
    } catch (error) {
      // A stop is not a failure of the channel.
      return stopping.signal.aborted ? undefined : await reschedule(ports, notice, error);
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

async function reschedule(ports: DeliveryPorts, notice: Notice, error: unknown): Promise<void> {
  // An error message may contain the channel's address, including a token.
  const reason = ports.secrets.redact(error instanceof Error ? error.message : String(error));
  const tries = notice.attempts + 1;
  const isLastTry = tries >= MAX_TRIES;
  const retryAfterMs = error instanceof DeliveryError ? error.retryAfterMs : null;
  const nextAt = isLastTry ? null : ports.clock.now() + deliveryDelayMs(tries, retryAfterMs);
  await ports.store.outbox.markUndelivered(notice.id, reason, nextAt);
  if (isLastTry) await recordFailure(ports, notice, `${describeFailure(notice, reason)}; gave up after ${tries} tries`);
}

function describeFailure({ channel, data }: Notice, reason: string): string {
  const request = data.url ?? "the change request";
  if (channel === CHANGE_REQUEST) return `${request} could not be closed (${reason})`;
  if (channel === REVIEW_COMMENTS) return `the review comments could not be posted on ${request} (${reason})`;
  return `${channel} could not be notified (${reason})`;
}

async function drop(ports: DeliveryPorts, notice: Notice): Promise<void> {
  const reason = `${notice.channel} is no longer a channel of project ${notice.project}`;
  await ports.store.outbox.dropNotice(notice.id, reason);
  await recordFailure(ports, notice, `a notice was not sent: ${reason}`);
}

async function recordFailure(ports: DeliveryPorts, notice: Notice, summary: string): Promise<void> {
  await ports.store.events.appendEvents([
    newEvent({
      at: ports.clock.now(),
      task: notice.task,
      type: "notice.failed",
      level: "warning",
      summary,
      data: { channel: notice.channel, project: notice.project, kind: notice.kind },
    }),
  ]);
}
