import type { Store } from "./store.ts";

/**
 * The methods of each part of the store that write. Commands of people go through `engine/commands`, which checks them
 * and records who did what, so only the engine may call these. Everything else uses `StoreReader`.
 */
export const STORE_MUTATIONS = {
  tasks: ["createTask", "commit", "admit", "takeRun", "updateRun", "deleteTask"],
  events: ["appendEvents", "appendWithNotices"],
  outbox: ["markDelivered", "markUndelivered", "dropNotice"],
  schedules: ["saveProgress", "dropProgress"],
  ledger: ["saveProposals", "updateProposal", "saveRule", "removeRule"],
  projects: ["keepPipeline", "keepBaseline", "saveProject", "removeProject"],
  agents: ["requestProbe"],
  people: ["addToken", "removeToken", "addLink", "redeemLink", "removeSession", "keepAnswer"],
  money: ["reserve"],
  quality: [],
} as const satisfies { readonly [Part in StorePart]: readonly (keyof Store[Part])[] };

type StorePart = Exclude<keyof Store, "checkIntegrity" | "backup" | "close">;

export type StoreReader = Pick<Store, "checkIntegrity" | "backup" | "close"> & {
  readonly [Part in StorePart]: Omit<Store[Part], (typeof STORE_MUTATIONS)[Part][number]>;
};
