import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Event } from "../../../core/task/event.ts";
import type { RecordEvents } from "./commit.ts";
import type { Differences } from "./differences.ts";
import { insertEvents } from "./tables/events.ts";
import type { Db, Tx } from "./schema.ts";

export interface WriterParams {
  readonly db: Db;
  readonly differences: Differences;
  readonly publish: (events: readonly Event[]) => void;
  /** A write fails after this time if another program has locked the database. */
  readonly lockTimeoutMs: number;
}

export interface Writer {
  write<T>(work: (tx: Tx, record: RecordEvents) => Promise<T>): Promise<T>;
  /** Resolves when all pending writes are done. */
  idle(): Promise<void>;
}

interface PendingWrite {
  /** Executes the write. The result publishes its events and resolves its promise, and must be called after the commit. */
  perform(tx: Tx): Promise<() => void>;
  reject(error: unknown): void;
  /** Monotonic time. */
  readonly deadline: number;
}

const LOCK_RETRY_MS = 50;
/** Reads wait while a group is written, so its size is limited. */
const MAX_GROUP = 50;

/**
 * Executes writes one after the other. Writes that wait at the same time share one commit, because flushing to disk takes
 * longer than everything else. The next group starts only after the events of the previous one are published, because
 * otherwise listeners could see events in the wrong order.
 */
export function createWriter({ db, differences, publish, lockTimeoutMs }: WriterParams): Writer {
  const queue: PendingWrite[] = [];
  let draining: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await commitGroup(queue.splice(0, MAX_GROUP));
      // Requests that arrive in between can join the next group.
      if (queue.length > 0) await nextTurn();
    }
    draining = null;
  }

  async function commitGroup(group: readonly PendingWrite[]): Promise<void> {
    try {
      await commitTogether(group);
    } catch (error) {
      if (differences.isLocked(error)) return await retryLater(group, error);
      if (group.length === 1) return group[0]?.reject(error);
      // Some errors, such as a full disk, end the whole transaction. Only the writes that cause them should fail.
      for (const write of group) await commitGroup([write]);
    }
  }

  /** Other programs may have the database open too. Reads continue while the writes wait. */
  async function retryLater(group: readonly PendingWrite[], error: unknown): Promise<void> {
    const now = performance.now();
    for (const write of group) if (write.deadline <= now) write.reject(error);
    const remaining = group.filter(({ deadline }) => deadline > now);
    if (remaining.length === 0) return;
    await sleep(LOCK_RETRY_MS);
    await commitGroup(remaining);
  }

  async function commitTogether(group: readonly PendingWrite[]): Promise<void> {
    const acknowledgements = await db.transaction().execute(async (tx) => {
      await differences.serialize(tx);
      const [only] = group;
      if (only !== undefined && group.length === 1) return [await only.perform(tx)];
      const performed: (() => void)[] = [];
      for (const write of group) performed.push(await performSeparately(tx, write));
      return performed;
    });
    for (const acknowledge of acknowledgements) acknowledge();
  }

  return {
    write(work) {
      return new Promise((resolve, reject) => {
        queue.push({
          async perform(tx) {
            const recorded: Event[] = [];
            const result = await work(tx, async (drafts) => {
              const events = await insertEvents(tx, drafts);
              recorded.push(...events);
              return events;
            });
            return () => {
              if (recorded.length > 0) publish(recorded);
              resolve(result);
            };
          },
          reject,
          deadline: performance.now() + lockTimeoutMs,
        });
        draining ??= drain();
      });
    },
    async idle() {
      await draining;
    },
  };
}

/** A write that fails does not affect the others of its group. */
async function performSeparately(tx: Tx, write: PendingWrite): Promise<() => void> {
  await sql`savepoint one_write`.execute(tx);
  try {
    return await write.perform(tx);
  } catch (error) {
    await sql`rollback to savepoint one_write`.execute(tx);
    return () => write.reject(error);
  } finally {
    await sql`release savepoint one_write`.execute(tx);
  }
}
