import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { createUser, pollUntil, PROJECT_FILE, type User } from "../support/cli-user.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  await user.run("trust", "--yes", "--no-run");
});

afterAll(async () => {
  await user.cleanUp();
});

const chore = (...args: readonly string[]): Promise<TaskJson> =>
  user.json<TaskJson>("submit", "--pipeline", "chore", ...args);

const until = (id: string, holds: (task: TaskJson) => boolean): Promise<TaskJson> =>
  pollUntil(() => user.json<TaskJson>("show", id), holds);

async function killDaemon(): Promise<void> {
  const { pid } = JSON.parse(await readFile(join(user.home, "daemon.json"), "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
}

test("a task waits for another one, also if the daemon is killed meanwhile, and then starts by itself", async () => {
  const first = await chore("--title", "First", "Work SLOWLY");
  const second = await chore("--after", first.short_id, "Work after it");
  expect(second).toMatchObject({
    status: "queued",
    after: [first.id],
    queued_for: { kind: "dependency", reason: `It starts when ${first.id} (First) succeeded.` },
  });
  await until(first.id, ({ runs }) => runs.at(-1)?.status === "running");
  await killDaemon();
  expect((await user.run("queue")).stdout).toContain(`It starts when ${first.id} (First) succeeded.`);
  expect((await user.run("show", second.id)).stdout).toContain(`after ${first.id}`);
  expect(await user.json<TaskJson>("show", second.id)).toMatchObject({
    status: "queued",
    runs: [{ started_at: null }],
  });
  await writeFile(user.go, "");
  const done = await until(second.id, ({ status }) => status === "succeeded");
  const { finished_at: ended } = await user.json<TaskJson>("show", first.id);
  expect(Date.parse(done.runs[0]?.started_at ?? "")).toBeGreaterThanOrEqual(Date.parse(ended ?? ""));
});

test("a task whose dependency was cancelled waits for a person, also after a restart", async () => {
  await rm(user.go);
  const running = await chore("Work SLOWLY");
  const first = await chore("--title", "Cancelled", "--after", running.id, "Work");
  const second = await chore("--after", first.id, "Work after it");
  await user.run("cancel", first.id);
  const asking = await until(second.id, ({ status }) => status === "waiting");
  expect(asking.waiting_for).toMatchObject({ kind: "choice", options: [{ id: "start" }, { id: "reject" }] });
  await killDaemon();
  const shown = await user.run("show", second.id);
  expect(shown.stdout).toContain("which was cancelled");
  expect(shown.stdout).toMatch(/nightshift choose \w+ start/);
  await user.run("choose", second.id, "start");
  await until(second.id, ({ status }) => status === "succeeded");
});

test("all unknown tasks are named at once", async () => {
  const refused = await user.run("submit", "--pipeline", "chore", "--after", "nope1", "--after", "nope2", "Work");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('There is no task "nope1". There is no task "nope2".');
});

test("--from takes the title and the properties from a file, options win, and all problems are named at once", async () => {
  const file = join(user.repo.path, "task.md");
  await writeFile(file, "---\npipeline: chore\npriority: high\ntags: [api]\n---\n# Greet people\n\nBy name.\n");
  expect(await user.json<TaskJson>("submit", "--from", file, "--priority", "low")).toMatchObject({
    title: "Greet people",
    description: "# Greet people\n\nBy name.",
    pipeline: "chore",
    priority: "low",
    tags: ["api"],
  });
  await writeFile(file, "---\npriority: soon\nsiez: m\n---\nText\n");
  const refused = await user.run("submit", "--from", file);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/task\.md:2:.*priority[^]*task\.md:3:.*siez/);
  expect((await user.run("submit", "--pipeline", "chore", "--issue", "12")).stderr).toContain("has no forge");
  expect((await user.run("submit", "--pipeline", "chore")).stderr).toContain("--issue <number>");
});

test("follow-up continues an ended task from the command line", async () => {
  const done = await until((await chore("--title", "Hello", "Work")).id, ({ status }) => status === "succeeded");
  expect((await user.run("show", done.id)).stdout).toMatch(/nightshift follow-up \w+ "…"/);
  // The agent waits, so that the task has not ended again before the last follow-up.
  await rm(user.go, { force: true });
  const again = await user.json<TaskJson>("follow-up", done.short_id, "also say good night SLOWLY");
  expect(again).toMatchObject({ id: done.id, state: "implementing", branch: done.branch });
  expect((await user.run("follow-up", done.id, "…")).code).toBe(2);
  expect((await user.run("follow-up", done.id, "more")).stderr).toContain("Cannot follow up on");
  await writeFile(user.go, "");
  await until(done.id, ({ status }) => status === "succeeded");
});
