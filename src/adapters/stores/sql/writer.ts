import type { Event } from "../../../core/task/event.ts";
import type { RecordEvents } from "./commit.ts";
import type { Differences } from "./differences.ts";
import { insertEvents } from "./events.ts";
import type { Db, Tx } from "./schema.ts";

export interface WriterParams {
  readonly db: Db;
  readonly differences: Differences;
  readonly publish: (events: readonly Event[]) => void;
}

export interface Writer {
  write<T>(work: (tx: Tx, record: RecordEvents) => Promise<T>): Promise<T>;
  /** Resolves when all pending transactions are done. */
  idle(): Promise<void>;
}

/**
 * Runs transactions one after the other. The next one starts only after the events of the previous one are published,
 * because otherwise listeners could see the events of two commits in the wrong order.
 */
export function createWriter({ db, differences, publish }: WriterParams): Writer {
  let last: Promise<unknown> = Promise.resolve();

  async function transact<T>(work: (tx: Tx, record: RecordEvents) => Promise<T>): Promise<T> {
    const recorded: Event[] = [];
    const result = await db.transaction().execute(async (tx) => {
      await differences.serialize(tx);
      return await work(tx, async (drafts) => {
        const events = await insertEvents(tx, drafts);
        recorded.push(...events);
        return events;
      });
    });
    if (recorded.length > 0) publish(recorded);
    return result;
  }

  return {
    write(work) {
      const written = last.then(() => transact(work));
      last = written.catch(() => undefined);
      return written;
    },
    async idle() {
      await last;
    },
  };
}
