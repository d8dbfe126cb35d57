import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Night } from "./night.ts";
import { processesOf } from "./processes.ts";
import { KINDS, type Kind } from "./scripts.ts";
import type { World } from "./world.ts";

/** Time for processes to exit after they were signalled. */
const EXIT_TIMEOUT_MS = 3_000;

/** Checks all invariants after the daemon was stopped. Returns one message per violation. */
export async function inspect(night: Night): Promise<readonly string[]> {
  const { world } = night;
  const database = new DatabaseSync(join(world.home, "nightshift.db"), { readOnly: true });
  try {
    return [
      ...inspectIntegrity(database),
      ...inspectTasks(night, database),
      ...inspectRuns(database),
      ...inspectEvents(night, database),
      ...inspectFiles(world, database),
      ...(await inspectProcesses(world)),
    ];
  } finally {
    database.close();
  }
}

type Row = Readonly<Record<string, unknown>>;

function query(database: DatabaseSync, sql: string, ...values: readonly string[]): readonly Row[] {
  return database.prepare(sql).all(...values);
}

function inspectIntegrity(database: DatabaseSync): readonly string[] {
  const messages = query(database, "pragma integrity_check").map((row) => String(row["integrity_check"]));
  const orphans = query(database, "pragma foreign_key_check").length;
  return [
    ...(messages.join() === "ok" ? [] : messages.map((line) => `integrity: ${line}`)),
    ...(orphans === 0 ? [] : [`${orphans} rows without a parent`]),
  ];
}

function inspectTasks({ submitted, world }: Night, database: DatabaseSync): readonly string[] {
  const rows = query(database, "select id, status, reason, branch, base_commit from tasks");
  const known = new Set(submitted.map(({ id }) => id));
  return [
    ...rows
      .filter((row) => !known.has(String(row["id"])))
      .map((row) => `${String(row["id"])} exists, but was never acknowledged`),
    ...submitted.flatMap(({ id, kind }) => {
      const row = rows.find((each) => each["id"] === id);
      if (row === undefined) return [`${id} (${kind}) was acknowledged and is lost`];
      const name = `${id} (${kind})`;
      if (row["status"] !== "succeeded") return [`${name} is ${String(row["status"])}: ${String(row["reason"])}`];
      return [...inspectTransitions(database, id, KINDS[kind]), ...inspectBranch(world, row, KINDS[kind])].map(
        (problem) => `${name}: ${problem}`,
      );
    }),
  ];
}

/** Each transition happened exactly once and in order, with one submission before and one end after. */
function inspectTransitions(database: DatabaseSync, id: string, { transitions: chain }: Kind): readonly string[] {
  const events = query(
    database,
    "select type, data from events where task = ? and type in ('task.submitted', 'task.state', 'task.ended') order by id",
    id,
  );
  const found = events.map(({ type, data }) => {
    const { from, to, outcome, status } = JSON.parse(String(data)) as Record<string, string>;
    return type === "task.state" ? `${from}>${to} ${outcome}` : type === "task.ended" ? `ended ${status}` : "submitted";
  });
  const wanted = ["submitted", ...chain, "ended succeeded"];
  return found.join("; ") === wanted.join("; ")
    ? []
    : [`its transitions were: ${found.join("; ")}; expected: ${wanted.join("; ")}`];
}

/** One commit on top of the base, with the right content and nothing else. */
function inspectBranch({ remote }: World, row: Row, { files }: Kind): readonly string[] {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", remote, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const branch = `refs/heads/${String(row["branch"])}`;
  const base = String(row["base_commit"]);
  try {
    const commits = git("rev-list", `${base}..${branch}`).trim().split("\n");
    const parent = git("rev-parse", `${branch}^`).trim();
    const changed = git("diff", "--name-only", base, branch).trim().split("\n");
    return [
      ...(commits.length === 1 && parent === base ? [] : [`${commits.length} commits are on top of its base`]),
      ...(changed.join() === Object.keys(files).toSorted().join() ? [] : [`its commit changes ${changed.join(", ")}`]),
      ...Object.entries(files).flatMap(([path, text]) =>
        git("show", `${branch}:${path}`) === text ? [] : [`${path} has the wrong content`],
      ),
    ];
  } catch (error) {
    return [`its branch cannot be read: ${String(error).split("\n")[0] ?? ""}`];
  }
}

function inspectRuns(database: DatabaseSync): readonly string[] {
  const started = query(
    database,
    "select id, finished_at, (select count(*) from events where run = runs.id and type = 'run.started') as starts, (select count(*) from events where run = runs.id and type in ('run.ended', 'run.interrupted')) as ends from runs",
  );
  return started.flatMap(({ id, finished_at: finished, starts, ends }) => [
    ...(starts === 1 ? [] : [`${String(id)} was started ${String(starts)} times`]),
    ...(ends === 1 && finished !== null ? [] : [`${String(id)} was ended ${String(ends)} times`]),
  ]);
}

/** The client that followed the events got each one once and in order. */
function inspectEvents({ seen }: Night, database: DatabaseSync): readonly string[] {
  const last = seen.at(-1)?.id ?? 0;
  const written = query(database, "select id from events order by id").map(({ id }) => Number(id));
  const ids = seen.map(({ id }) => id);
  const rising = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id));
  const expected = written.filter((id) => id <= last);
  return [
    ...(rising ? [] : ["the client saw an event twice or out of order"]),
    ...(expected.join() === ids.join() ? [] : [`the client saw ${ids.length} of ${expected.length} events`]),
  ];
}

/** Looks for temporary files, locks, directories of ended runs and workspaces of ended tasks. */
function inspectFiles({ home }: World, database: DatabaseSync): readonly string[] {
  const succeeded = query(database, "select id from tasks where status = 'succeeded'").map(({ id }) => String(id));
  const ended = query(database, "select id from runs where finished_at is not null").map(({ id }) => String(id));
  const stray = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith("workspaces") && isTemporary(path),
  );
  return [
    ...stray.map((path) => `a temporary file or lock is left: ${path}`),
    ...list(join(home, "workspaces"))
      .filter((name) => succeeded.some((id) => name.includes(id)))
      .map((name) => `workspaces/${name} is left`),
    ...list(join(home, "homes"))
      .filter((name) => succeeded.includes(name))
      .map((name) => `homes/${name} is left`),
    ...ended
      .flatMap((run) =>
        ["tmp", "report", "process.json", "baseline/tmp", "baseline/report"]
          .map((name) => join("runs", run, name))
          .filter((path) => existsSync(join(home, path))),
      )
      .map((path) => `${path} is left`),
    ...list(join(home, "s")).map((name) => `the socket s/${name} is left`),
    ...(existsSync(join(home, "daemon.json")) ? ["daemon.json is left"] : []),
  ];
}

/** `nightshift.db.lock` is the daemon's lock file. It stays, but unlocked. */
function isTemporary(path: string): boolean {
  const name = basename(path);
  if (path === "nightshift.db.lock") return false;
  return /^\.|\.lock$|\.tmp|^tmp_|\.new$|\.building$|\.json\.\d+$|-journal$/.test(name);
}

function list(dir: string): readonly string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

async function inspectProcesses({ home }: World): Promise<readonly string[]> {
  for (const start = performance.now(); performance.now() - start < EXIT_TIMEOUT_MS; await sleep(50))
    if (processesOf(home).length === 0) return [];
  return processesOf(home).map(({ pid, command }) => `process ${pid} is left: ${command}`);
}
