import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { STORE_MUTATIONS, type StoreReader } from "../../ports/store-mutations.ts";
import { SILENT } from "../../testing/store/samples.ts";

const SOURCES = join(import.meta.dirname, "../..");

/** Rooms that ask for changes and must not make them. */
const ROOMS = ["http", "cli", "mcp", "daemon", "supervisor", "config"];

/** Writes that no person or agent asks for, so that there is no command for them. */
const EXCEPTIONS: readonly string[] = [
  "http/idempotency.ts: keepAnswer", // the API's memory of its own answers
  "daemon/main.ts: appendEvents", // the daemon started or stopped
  "daemon/limits.ts: appendEvents", // a full disk, broken settings, files that wait for trust
];

/** The verbs that do not write. */
const READS = [
  "backup",
  "checkIntegrity",
  "close",
  "costs",
  "countTasks",
  "dueNotices",
  "findRunIds",
  "findTaskIds",
  "findToken",
  "getPipeline",
  "getProject",
  "getRun",
  "getTask",
  "getTaskByKey",
  "holdsLease",
  "lastEventId",
  "listArtifacts",
  "listChecks",
  "listEvents",
  "listMarks",
  "listOpenRuns",
  "listProjects",
  "listProposals",
  "listRules",
  "listRuns",
  "listTasks",
  "listTokens",
  "listUse",
  "onEvents",
  "recallAnswer",
  "spent",
] as const satisfies readonly (keyof StoreReader)[];

/** The mutations that a source text calls on a store or takes out of one. */
function findMutations(source: string): readonly string[] {
  const verbs = STORE_MUTATIONS.join("|");
  const called = source.matchAll(new RegExp(String.raw`\bstore\s*[!?]?\.\s*(${verbs})\b`, "gi"));
  const taken = source.matchAll(
    new RegExp(String.raw`\{[^{}]*\b(${verbs})\b[^{}]*\}\s*(?:=\s*[\w.]*store\b|:\s*Store\b)`, "gi"),
  );
  return [...new Set([...called, ...taken].map((match) => match[1] ?? ""))];
}

it("only the engine calls verbs of the store that write", () => {
  const files = ROOMS.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: SOURCES })).filter(
    (file) => !/\.(test|suite)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) =>
    findMutations(readFileSync(join(SOURCES, file), "utf8")).map((verb) => `${file}: ${verb}`),
  );
  expect(found.toSorted()).toEqual(EXCEPTIONS.toSorted());
});

it.each([
  "await store.removeProject(name);",
  "await ports.store\n  .addToken(row)",
  "deps.store?.commit(params)",
  "const { getTask, saveRule } = ports.store;",
  "function write({ createTask }: Store): void {}",
])("the check finds a mutation in `%s`", (source) => {
  expect(findMutations(source)).toHaveLength(1);
});

it.each(["await commands.removeProject(name, actor);", "const { getTask } = ports.store;", "store.listProjects()"])(
  "the check accepts `%s`",
  (source) => {
    expect(findMutations(source)).toEqual([]);
  },
);

it("every verb of the store is known as one that reads or one that writes", async () => {
  const store = await openSqliteStore({ file: ":memory:", log: SILENT });
  expect(Object.keys(store).toSorted()).toEqual([...READS, ...STORE_MUTATIONS].toSorted());
  await store.close();
});
