import type { Attack } from "./attack.ts";

/** Loaded individually, because inside a sandbox only the requested table is needed. The slowest come first. */
const TABLES = {
  limits: () => import("./tables/limits.ts"),
  git: () => import("./tables/git.ts"),
  lifetime: () => import("./tables/lifetime.ts"),
  network: () => import("./tables/network.ts"),
  grants: () => import("./tables/grants.ts"),
  files: () => import("./tables/files.ts"),
  kernel: () => import("./tables/kernel.ts"),
  processes: () => import("./tables/processes.ts"),
  verdicts: () => import("./tables/verdicts.ts"),
  results: () => import("./tables/results.ts"),
} satisfies Record<string, () => Promise<{ readonly attacks: readonly Attack[] }>>;

export type Topic = keyof typeof TABLES;
export const TOPICS = Object.keys(TABLES) as readonly Topic[];

export async function loadTopic(topic: Topic): Promise<readonly Attack[]> {
  return (await TABLES[topic]()).attacks;
}

export function isTopic(word: string): word is Topic {
  return word in TABLES;
}
