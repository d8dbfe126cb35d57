import type { Store } from "../../ports/store.ts";

/** Gives a group of tests access to the store of the running test. */
export interface Current {
  readonly store: Store;
  /** Null if the store is not persistent. */
  readonly reopen: (() => Promise<Store>) | null;
}
