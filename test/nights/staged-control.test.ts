import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { filesBelow } from "../support/cleanup-checks.ts";
import { gated, WAIT } from "../support/killed-daemon.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";
import { PLAN } from "../support/staged.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const TIMEOUT_MS = 20_000;

/** Planner and executor note their starts and wait until they are released. */
async function open(): Promise<Night> {
  const agent = `DIR=$(dirname "$0"); ${gated("$DIR", "$NIGHTSHIFT_ROLE")}
case $NIGHTSHIFT_ROLE in
plan) printf '%s' '${JSON.stringify(PLAN)}' > "$OUT" ;;
execute) printf '{"outcome":"completed","summary":"done","result":"B is the fastest."}' > "$OUT" ;;
esac`;
  night = await openNight({ agent, timeoutMs: WAIT.timeout });
  return night;
}

const started = ({ repo }: Night): readonly string[] => {
  const file = join(repo.path, "started");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
};
const release = ({ repo }: Night, role: string): void => writeFileSync(join(repo.path, `release-${role}`), "");

async function submit(opened: Night): Promise<string> {
  const draft = { pipeline: "staged", planningTimeoutMs: TIMEOUT_MS, timeoutMs: TIMEOUT_MS };
  return (await opened.submit(draft)).id;
}

async function waitForPlan(opened: Night): Promise<string> {
  const id = await submit(opened);
  release(opened, "plan");
  expect(await opened.settled(id)).toMatchObject({ status: "waiting", state: "staged" });
  return id;
}

async function approve(opened: Night, id: string): Promise<void> {
  const { planHash } = await opened.settled(id);
  await opened.commands.approve(id, planHash, ALICE);
}

/** Pauses the task while this role works, for longer than its timeout. */
async function pauseForLong(opened: Night, id: string, role: string): Promise<void> {
  await expect.poll(() => started(opened), WAIT).toContain(role);
  await opened.commands.pause(id, ALICE);
  const paused = performance.now();
  await expect.poll(() => performance.now() - paused, WAIT).toBeGreaterThan(TIMEOUT_MS + 1000);
  release(opened, role);
  await opened.commands.resume(id, ALICE);
}

async function expectNothingLeft(opened: Night, id: string): Promise<void> {
  const { ports } = opened.wired;
  expect(await ports.store.tasks.listOpenRuns()).toEqual([]);
  const runs = await opened.runs(id);
  for (const run of runs)
    await expect.poll(() => ports.supervisors.isAlive(ports.runFiles.dir(run.id)), WAIT).toBe(false);
  for (const folder of ["workspaces", "homes", "s"])
    await expect.poll(() => filesBelow(join(opened.home, folder)), WAIT).toEqual([]);
}

describe("control of a staged task", { timeout: 300_000 }, () => {
  it("a pause that is longer than the planning timeout does not count", async () => {
    const opened = await open();
    const id = await submit(opened);
    await pauseForLong(opened, id, "plan");
    expect(await opened.settled(id)).toMatchObject({ status: "waiting", state: "staged" });
    const [planner] = await opened.runs(id);
    expect(planner).toMatchObject({ outcome: "plan_complete", endedBy: "exit" });
    expect(planner?.pausedMs).toBeGreaterThan(TIMEOUT_MS);
  });

  it("a pause that is longer than the executor's timeout does not count", async () => {
    const opened = await open();
    const id = await waitForPlan(opened);
    await approve(opened, id);
    await pauseForLong(opened, id, "execute");
    expect(await opened.settled(id)).toMatchObject({ status: "succeeded", outcome: "completed" });
    expect((await opened.runs(id)).at(-1)?.pausedMs).toBeGreaterThan(TIMEOUT_MS);
    expect(started(opened)).toEqual(["plan", "execute"]);
  });

  it.each(["kill", "cancel"] as const)(
    "%s while it is planned ends the planner, and there is no plan",
    async (order) => {
      const opened = await open();
      const id = await submit(opened);
      await expect.poll(() => started(opened), WAIT).toEqual(["plan"]);
      expect(await opened.commands[order](id, ALICE)).toMatchObject({ status: "cancelled", plan: null });
      await expectNothingLeft(opened, id);
      await expect(opened.commands.approve(id, null, ALICE)).rejects.toThrow("has ended");
      expect(await opened.runs(id)).toMatchObject([{ role: "plan", status: "cancelled" }]);
    },
  );

  it("cancel while it waits for approval ends it, and the plan cannot be approved any more", async () => {
    const opened = await open();
    const id = await waitForPlan(opened);
    const { planHash } = await opened.settled(id);
    expect(await opened.commands.cancel(id, ALICE)).toMatchObject({ status: "cancelled" });
    await expect(opened.commands.approve(id, planHash, ALICE)).rejects.toThrow("has ended");
    await expect(opened.commands.revise(id, "only bench/a", ALICE)).rejects.toThrow("has ended");
    await expectNothingLeft(opened, id);
    expect(started(opened)).toEqual(["plan"]);
  });

  it("two approvals at once start it once", async () => {
    const opened = await open();
    const id = await waitForPlan(opened);
    const { planHash } = await opened.settled(id);
    release(opened, "execute");
    const both = await Promise.allSettled([1, 2].map(() => opened.commands.approve(id, planHash, ALICE)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await opened.until(id, ({ status }) => status === "succeeded")).toMatchObject({ outcome: "completed" });
    expect(started(opened)).toEqual(["plan", "execute"]);
  });
});
