import type { Store } from "./store.ts";

/**
 * The verbs of the store that write. Commands of people go through `engine/commands`, which checks them and writes who
 * did what, so nothing but the engine may call these. `StoreReader` is for everybody else.
 */
export const STORE_MUTATIONS = [
  "createTask",
  "commit",
  "admit",
  "takeRun",
  "updateRun",
  "deleteTask",
  "appendEvents",
  "tell",
  "markDelivered",
  "markUndelivered",
  "dropNotice",
  "saveMark",
  "dropMark",
  "saveProposals",
  "updateProposal",
  "saveRule",
  "removeRule",
  "keepPipeline",
  "saveProject",
  "removeProject",
  "addToken",
  "removeToken",
  "keepAnswer",
  "reserve",
] as const satisfies readonly (keyof Store)[];

export type StoreReader = Omit<Store, (typeof STORE_MUTATIONS)[number]>;
