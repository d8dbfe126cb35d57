import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { STORE_MUTATIONS } from "../../ports/store-mutations.ts";
import { SILENT_LOG } from "../../testing/store/samples.ts";

const SOURCES = join(import.meta.dirname, "../..");

/** Folders that must request changes through commands. */
const FOLDERS = ["http", "cli", "mcp", "daemon", "supervisor", "config"];

/** Writes that no person or agent requests, so they have no command. */
const EXCEPTIONS: readonly string[] = [
  "http/idempotency.ts: keepAnswer", // the API's idempotency cache
  "daemon/main.ts: appendEvents", // the daemon started or stopped
  "daemon/limits.ts: appendEvents", // a full disk, broken settings, files that are not trusted yet
];

/** The methods that do not write. */
const READS: Readonly<Record<keyof typeof STORE_MUTATIONS, readonly string[]>> = {
  tasks: [
    "countMatching",
    "countTasks",
    "findRunIds",
    "findTaskIds",
    "getDocument",
    "getRun",
    "getTask",
    "getTaskByKey",
    "holdsLease",
    "listArtifacts",
    "listChangeRequests",
    "listChecks",
    "listOpenRuns",
    "listOverdue",
    "listRuns",
    "listTasks",
    "listEndedRuns",
    "listEndedTaskIds",
    "shortenIds",
  ],
  events: ["lastEventId", "listDecisions", "listEvents", "listEventsIn", "onEvents"],
  outbox: ["dueNotices", "findFailure", "listTaskNotices"],
  schedules: ["listProgress"],
  ledger: ["listProposals", "listRules"],
  projects: ["getBaseline", "getPipeline", "getProject", "listProjects"],
  agents: ["getParked", "listParked", "listWaitingTasks"],
  people: ["findSignIn", "findToken", "listTokens", "recallAnswer"],
  money: ["costs", "listUse", "spent"],
  quality: ["readFacts"],
};
const PARTS = Object.keys(READS) as readonly (keyof typeof STORE_MUTATIONS)[];

/** The mutations that a source text calls on a store or takes out of one. */
function findMutations(source: string): readonly string[] {
  const verbs = Object.values(STORE_MUTATIONS).flat().join("|");
  const called = source.matchAll(new RegExp(String.raw`\bstore\s*(?:[!?]?\.\s*\w+\s*)?[!?]?\.\s*(${verbs})\b`, "gi"));
  const taken = source.matchAll(
    new RegExp(String.raw`\{[^{}]*\b(${verbs})\b[^{}]*\}\s*(?:=\s*[\w.]*store\b[\w.]*|:\s*(?:\w*Store)\b)`, "gi"),
  );
  return [...new Set([...called, ...taken].map((match) => match[1] ?? ""))];
}

it("only the engine calls store methods that write", () => {
  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: SOURCES })).filter(
    (file) => !/\.(test|suite)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) =>
    findMutations(readFileSync(join(SOURCES, file), "utf8")).map((verb) => `${file}: ${verb}`),
  );
  expect(found.toSorted()).toEqual(EXCEPTIONS.toSorted());
});

it.each([
  "await store.projects.removeProject(name);",
  "await ports.store\n  .people\n  .addToken(row)",
  "deps.store?.tasks.commit(params)",
  "const { listRules, saveRule } = ports.store.ledger;",
  "function write({ createTask }: TaskStore): void {}",
])("the check finds a mutation in `%s`", (source) => {
  expect(findMutations(source)).toHaveLength(1);
});

it.each([
  "await commands.removeProject(name, actor);",
  "const { getTask } = ports.store.tasks;",
  "store.projects.listProjects()",
])("the check accepts `%s`", (source) => {
  expect(findMutations(source)).toEqual([]);
});

it("every store method is listed as one that reads or one that writes", async () => {
  const store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  expect(Object.keys(store).toSorted()).toEqual([...PARTS, "backup", "checkIntegrity", "close"].toSorted());
  for (const part of PARTS)
    expect(Object.keys(store[part]).toSorted(), part).toEqual([...READS[part], ...STORE_MUTATIONS[part]].toSorted());
  await store.close();
});
