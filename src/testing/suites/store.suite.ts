import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../../ports/store.ts";
import { testAdmission } from "../store/admission.suite.ts";
import { testCommit } from "../store/commit.suite.ts";
import { testCosts } from "../store/costs.suite.ts";
import type { Current } from "../store/current.ts";
import { testEvents } from "../store/events.suite.ts";
import { testLedger } from "../store/ledger.suite.ts";
import { testParkedAgents } from "../store/parked-agents.suite.ts";
import { testQuality } from "../store/quality.suite.ts";
import { testRecords } from "../store/records.suite.ts";
import { testReservations } from "../store/reservations.suite.ts";
import { testRuns } from "../store/runs.suite.ts";
import { testTaskSearch } from "../store/task-search.suite.ts";
import { testTasks } from "../store/tasks.suite.ts";
import { testTotals } from "../store/totals.suite.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens the same database again. Absent if the store is not persistent. */
  readonly reopen?: () => Promise<Store>;
  /** Closes the store and removes the database. */
  readonly dispose: () => Promise<void>;
}

export interface StoreUnderTest {
  /** Opens a new, empty store. */
  readonly open: () => Promise<OpenedStore>;
}

/** Contract tests for every store. */
export function testStore(name: string, { open }: StoreUnderTest): void {
  describe(`store ${name}`, () => {
    let opened: OpenedStore | null = null;
    const current: Current = {
      get store() {
        if (opened === null) throw new Error("no test is running");
        return opened.store;
      },
      get reopen() {
        return opened?.reopen ?? null;
      },
    };

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened?.dispose();
      opened = null;
    });

    testTasks(current);
    testTaskSearch(current);
    testParkedAgents(current);
    testCommit(current);
    testRuns(current);
    testAdmission(current);
    testEvents(current);
    testCosts(current);
    testQuality(current);
    testTotals(current);
    testReservations(current);
    testLedger(current);
    testRecords(current);
  });
}
