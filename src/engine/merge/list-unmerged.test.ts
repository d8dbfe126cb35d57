import { afterEach, beforeEach, expect, test } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import { createMergedBranchSweep } from "../reconcile/find-merged-branches.ts";
import { createOutages } from "../reconcile/outages.ts";
import { readReport } from "../report/read-report.ts";

const DAY = 86_400_000;
let world: EngineWorld;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock(Date.now());
  world = await openEngineWorld({
    script: ({ name }) =>
      name === "agent"
        ? { files: { "greeting.txt": "hello, people\n" }, report: { outcome: "implemented", summary: "greets" } }
        : {},
    over: (ports) => ({ clock: { ...clock, newId: ports.clock.newId } }),
  });
});

afterEach(() => world.close());

/** Sections in which the report lists tasks, `name: titles`. */
async function sections(): Promise<readonly string[]> {
  const now = clock.now();
  // A period after the tasks ended.
  const period = { night: null, since: now, until: now + 1, project: null, timeZone: "UTC", now };
  const report = await readReport(world.ports, period);
  return Object.entries(report.sections).flatMap(([name, { tasks }]) =>
    tasks.map(({ task }) => `${name} ${task.title}`),
  );
}

async function publish(): Promise<string> {
  const { id } = await world.submit({ pipeline: "chore", title: "Greet people" });
  const task = await world.drain(id);
  expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
  await clock.advance(60_000);
  return task.branch ?? "";
}

test.for([
  { how: "a merge commit", command: ["merge", "-q", "--no-ff", "--no-edit"] },
  { how: "a squashed commit", command: ["merge", "-q", "--squash"] },
  { how: "a cherry-picked commit", command: ["cherry-pick"] },
])(
  "a published branch without a forge is to be reviewed until a person brings it to the default branch with $how",
  async ({ command }) => {
    const branch = await publish();
    const sweep = createMergedBranchSweep(world.ports, createOutages(world.ports));
    await sweep();
    expect(await sections()).toEqual(["review Greet people"]);

    await world.repo.git("fetch", "-q", "origin");
    await world.repo.git(...command, `origin/${branch}`);
    if (command.includes("--squash")) await world.repo.git("commit", "-qm", "squashed by a person");
    await world.repo.git("push", "-q", "origin", "HEAD:main");
    await clock.advance(6 * 60_000);
    await sweep();
    await sweep();
    expect(await sections()).toEqual([]);
    const all = { since: 0, until: clock.now() + 1, project: null, limit: 10 };
    expect((await world.ports.store.quality.readFacts(all)).changes).toMatchObject([{ state: "merged" }]);
    const events = await world.ports.store.events.listEventsIn({ since: 0, until: clock.now() + 1 }, [
      "request.merged",
    ]);
    expect(events.map(({ summary }) => summary)).toEqual([`${branch} was merged into main by hand`]);
  },
);

test("the report of the night in which it ended lists a branch that was merged by hand as merged", async () => {
  const branch = await publish();
  await world.repo.git("fetch", "-q", "origin");
  await world.repo.git("push", "-q", "origin", `origin/${branch}:main`);
  await createMergedBranchSweep(world.ports, createOutages(world.ports))();
  const now = clock.now();
  const period = { night: null, since: now - DAY, until: now + 1, project: null, timeZone: "UTC", now };
  const { sections: found } = await readReport(world.ports, period);
  expect([found.merged.total, found.review.total]).toEqual([1, 0]);
});

test("a branch that no person merged for two weeks is no longer listed", async () => {
  await publish();
  await clock.advance(15 * DAY);
  expect(await sections()).toEqual([]);
});
