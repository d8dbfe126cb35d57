import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { createUser, pollUntil, type User } from "../support/cli-user.ts";

vi.setConfig({ testTimeout: 120_000 });

let user: User;

/** Every plan names README.md. The implementation of a task whose description says SLOWLY waits for a file. */
const agentProgram = (go: string): string => `#!/bin/sh
prompt=$(cat)
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case "$NIGHTSHIFT_ROLE" in
  plan) report '{"outcome":"plan_complete","plan":"Change the readme.","plan_summary":"readme","subtasks":["Write it","Check it"],"files":["README.md"]}'; exit ;;
  review) report '{"outcome":"approved","summary":"Fine.","comments":[]}'; exit ;;
esac
case "$prompt" in *SLOWLY*) while [ ! -e "${go}" ]; do sleep 0.1; done ;; esac
case "$prompt" in *NOTHING*) ;; *) echo "by $NIGHTSHIFT_TASK" > README.md ;; esac
report '{"outcome":"implemented","summary":"wrote the readme","subtasks_done":[1]}'
`;

beforeAll(async () => {
  user = await createUser();
  const program = join(user.repo.path, "planner.sh");
  await writeFile(program, agentProgram(user.go));
  await chmod(program, 0o755);
  const settings = `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${program}"] }
gates: { plan: auto }
checks:
  content: { command: "test -s README.md" }
`;
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), settings);
  await user.run("trust", "--yes", "--no-run");
});

afterAll(async () => {
  await user.cleanUp();
});

const feature = (...args: readonly string[]): Promise<TaskJson> =>
  user.json<TaskJson>("submit", "--pipeline", "feature", ...args);

const until = (id: string, holds: (task: TaskJson) => boolean): Promise<TaskJson> =>
  pollUntil(() => user.json<TaskJson>("show", id), holds);

const isMerging = ({ state, status }: TaskJson): boolean => state === "merging" && status === "waiting";

async function killDaemon(): Promise<void> {
  const { pid } = JSON.parse(await readFile(join(user.home, "daemon.json"), "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
}

test("two tasks on the same file take turns, also if the daemon is killed, and show gives a merge order", async () => {
  const first = await feature("--title", "First", "Work SLOWLY");
  await until(first.id, ({ runs }) => runs.at(-1)?.role === "implement");
  const second = await feature("--title", "Second", "Work");
  const waiting = await until(second.id, ({ queued_for: queued }) => queued !== null);
  expect(waiting).toMatchObject({
    state: "implementing",
    status: "queued",
    queued_for: { kind: "dependency", task: first.id, files: ["README.md"] },
  });
  await killDaemon();
  const sentence = `It waits for ${first.id} (First): both plans name README.md.`;
  expect((await user.run("queue")).stdout).toContain(sentence);
  expect((await user.run("show", second.id)).stdout).toContain(sentence);
  expect(await feature("--allow-overlap", "--title", "Third", "Work")).toMatchObject({
    options: { allow_overlap: true },
  });
  await writeFile(user.go, "");
  const done = await until(second.id, isMerging);
  const published = (await until(first.id, isMerging)).runs.find(({ outcome }) => outcome === "published");
  const started = done.runs.find(({ role }) => role === "implement")?.started_at ?? "";
  expect(Date.parse(started)).toBeGreaterThanOrEqual(Date.parse(published?.finished_at ?? ""));
  expect(done.subtasks).toEqual([
    { title: "Write it", done: true },
    { title: "Check it", done: false },
  ]);
  const order = await until(second.id, ({ merge_order }) => merge_order?.branches.length === 3);
  expect(order.merge_order?.branches.find(({ task }) => task === second.id)?.conflicts).toContainEqual({
    task: first.id,
    files: ["README.md"],
  });
  const shown = (await user.run("show", second.id)).stdout;
  expect(shown).toMatch(/Merge order\n {2}1\. /);
  expect(shown).toContain(`conflicts with ${first.id}: README.md`);
});

test("a cycle is refused, and a task after a failed one waits for a person", async () => {
  const first = await until((await feature("Work")).id, isMerging);
  const second = await feature("--after", first.id, "Work after it");
  const refused = await user.run("follow-up", first.id, "more", "--after", second.id);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(`${first.id} would wait for itself: ${first.id} → ${second.id} → ${first.id}.`);
  const failing = await user.json<TaskJson>("submit", "--pipeline", "chore", "Do NOTHING");
  const after = await user.json<TaskJson>("submit", "--pipeline", "chore", "--after", failing.id, "Work after it");
  const asking = await until(after.id, ({ status }) => status === "waiting");
  expect(asking.waiting_for).toMatchObject({ kind: "choice", options: [{ id: "start" }, { id: "reject" }] });
  expect((await user.run("show", after.id)).stdout).toContain("which failed");
  await user.run("choose", after.id, "start");
  await until(after.id, ({ status }) => status === "succeeded");
});

test("--until stops after the plan, and resume continues", async () => {
  const stopped = await user.run("submit", "--pipeline", "feature", "--until", "plan", "--wait", "--json", "Work");
  expect(stopped).toMatchObject({ code: 0 });
  const task = JSON.parse(stopped.stdout) as TaskJson;
  expect(task).toMatchObject({ status: "paused", until: { state: "planning", reached: true }, documents: [{}] });
  const shown = (await user.run("show", task.id)).stdout;
  expect(shown).toContain('stopped after "planning" as requested');
  expect(shown).toContain("nightshift resume");
  await user.run("resume", task.id);
  expect((await until(task.id, isMerging)).until).toBeNull();
  const refused = await user.run("submit", "--pipeline", "feature", "--until", "plannig", "Work");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/Did you mean "planning"\?[^]*planning, implementing, checking/);
});

test("run adds a review, and the task still waits for its merge", async () => {
  const { id } = await until((await feature("Work")).id, isMerging);
  const ran = await user.run("run", id, "review", "--wait", "--json");
  expect(ran).toMatchObject({ code: 0 });
  const task = JSON.parse(ran.stdout) as TaskJson;
  expect(task).toMatchObject({ state: "merging", status: "waiting", waiting_for: { kind: "merge" } });
  expect(task.reviews).toHaveLength(2);
  expect((await user.run("run", id, "implement")).stderr).toContain("review, plan, design, investigate");
});
