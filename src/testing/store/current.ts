import type { Store } from "../../ports/store.ts";

/** How a group of tests reaches the store of the test that is running. */
export interface Current {
  readonly store: Store;
  /** Null where nothing outlives the store. */
  readonly reopen: (() => Promise<Store>) | null;
}
