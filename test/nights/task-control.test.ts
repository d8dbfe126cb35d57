import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ALICE, openNight, type Night } from "../support/night.ts";

const SLOW_AGENT =
  'i=0; while [ ! -e "$GO" ] && [ $i -lt 400 ]; do echo tick >> "$TICKS"; i=$((i+1)); sleep 0.05; done; echo hi >> greeting.txt; done_with ok';

let night: Night | null = null;

/** An agent that writes ticks until `go` exists beside the repository. The ticks show whether it is running. */
async function openSlow(): Promise<{ night: Night; ticks: () => number; go: string }> {
  const opened = await openNight({ agent: `GO="$(dirname "$0")/go"; TICKS="$(dirname "$0")/ticks"; ${SLOW_AGENT}` });
  night = opened;
  const file = join(opened.repo.path, "ticks");
  return { night: opened, ticks: () => (existsSync(file) ? statSync(file).size : 0), go: join(opened.repo.path, "go") };
}

async function submitAndWaitForTicks(opened: Night, ticks: () => number): Promise<string> {
  const { id } = await opened.submit();
  await expect.poll(ticks, { timeout: 15_000 }).toBeGreaterThan(0);
  return id;
}

afterEach(async () => {
  await night?.close();
  night = null;
});

describe("task control", () => {
  it("pause suspends the process tree, resume continues it", async () => {
    const { night: opened, ticks, go } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    await opened.commands.pause(id, ALICE);
    await expect.poll(async () => (await opened.runs(id))[0]?.status).toBe("paused");
    const before = ticks();
    // Time in which a running process would write ticks.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(ticks()).toBe(before);
    await expect(opened.commands.pause(id, ALICE)).rejects.toThrow(/it is paused/);
    await opened.commands.resume(id, ALICE);
    await expect.poll(ticks).toBeGreaterThan(before);
    writeFileSync(go, "");
    const task = await opened.settled(id);
    expect(task.status).toBe("succeeded");
    expect((await opened.runs(id))[0]?.pausedMs).toBeGreaterThan(300);
  });

  it.each(["cancel", "kill"] as const)(
    "%s ends the process tree and the task, and records the person",
    async (order) => {
      const { night: opened, ticks } = await openSlow();
      const id = await submitAndWaitForTicks(opened, ticks);
      const task = await opened.commands[order](id, ALICE);
      expect(task).toMatchObject({ status: "cancelled", outcome: "cancel" });
      const before = ticks();
      // Time in which a surviving process would write ticks.
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(ticks()).toBe(before);
      const events = await opened.wired.ports.store.events.listEvents({ after: 0, task: id, limit: 100 });
      expect(events.find(({ type }) => type === "task.decided")?.actor).toEqual({ kind: ALICE.kind, name: ALICE.name });
      await expect(opened.commands[order](id, ALICE)).rejects.toThrow(/has ended/);
    },
  );

  it("a paused task can be cancelled", async () => {
    const { night: opened, ticks } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    await opened.commands.pause(id, ALICE);
    expect(await opened.commands.cancel(id, ALICE)).toMatchObject({ status: "cancelled" });
  });

  it("retry continues a cancelled task from its last state", async () => {
    const { night: opened, ticks, go } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    await opened.commands.kill(id, ALICE);
    writeFileSync(go, "");
    await opened.commands.retry(id, null, ALICE);
    expect(await opened.settled(id)).toMatchObject({ status: "succeeded" });
    await expect(opened.commands.retry(id, null, ALICE)).rejects.toThrow(/it has already succeeded/);
  });

  it("a stopped daemon leaves the run active, and the next one adopts it", async () => {
    const { night: opened, ticks, go } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    await opened.restart();
    const before = ticks();
    await expect.poll(ticks).toBeGreaterThan(before);
    writeFileSync(go, "");
    const task = await opened.settled(id);
    expect(task.status).toBe("succeeded");
    const runs = await opened.runs(id);
    expect(runs.filter(({ role }) => role === "implement")).toHaveLength(1);
    expect(runs[0]?.token).toBe(2);
  });

  it("an order that was stored but not delivered is executed after a restart", async () => {
    const { night: opened, ticks } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    const { store } = opened.wired.ports;
    const current = await store.tasks.getTask(id);
    if (current === null) throw new Error("gone");
    // Write the order without an event, as if the daemon had died between storing and delivering it.
    await store.tasks.commit({
      task: { ...current, order: "kill" },
      expectedVersion: current.version,
      lease: null,
      endRun: null,
      endOthers: null,
      newRun: null,
      events: [],
      checks: [],
      artifacts: [],
      notices: [],
      admission: { at: Date.now(), total: 0, projects: {}, perProject: 0 },
    });
    await opened.restart();
    expect(await opened.settled(id)).toMatchObject({ status: "cancelled" });
  });

  it("delete removes an ended task and refuses a running one", async () => {
    const { night: opened, ticks } = await openSlow();
    const id = await submitAndWaitForTicks(opened, ticks);
    await expect(opened.commands.remove(id, ALICE)).rejects.toThrow(/Cannot delete/);
    await opened.commands.kill(id, ALICE);
    await opened.commands.remove(id, ALICE);
    expect(await opened.wired.ports.store.tasks.getTask(id)).toBeNull();
    await expect(opened.commands.remove(id, ALICE)).rejects.toThrow(/There is no task/);
  });
});
