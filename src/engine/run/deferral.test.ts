import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { createDeferral, type Deferral } from "./deferral.ts";

let world: EngineWorld;
let deferral: Deferral;
/** Seconds of the monotonic clock. */
let time = 1_000;
let isBroken = true;
let reads = 0;
let id = "";
let run = "";

beforeEach(async () => {
  isBroken = true;
  world = await openEngineWorld({
    script: () => ({ files: { "greeting.txt": "hi\n" }, report: { outcome: "implemented", summary: "it greets" } }),
    over: (ports) => ({
      clock: { ...ports.clock, monotonic: () => time * 1_000 },
      projects: {
        ...ports.projects,
        async lastGood(project) {
          reads += 1;
          if (isBroken) throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
          return await ports.projects.lastGood(project);
        },
      },
    }),
  });
  deferral = createDeferral(world.ports);
  ({ id } = await world.submit());
  run = (await world.runs(id))[0]?.id ?? "";
});
afterEach(() => world.close());

const execute = () => deferral.execute(run, new AbortController().signal);
const getTask = async () => (await world.ports.store.tasks.getTask(id)) ?? expect.fail("no task");

async function notes(): Promise<readonly string[]> {
  const events = await world.ports.store.events.listEvents({ after: 0, task: id, limit: 100 });
  return events.filter(({ type }) => type === "run.note").map(({ summary }) => summary);
}

describe("a run that cannot start because of the machine", () => {
  it("shows the reason once, waits longer each time, and starts when the reason is gone", async () => {
    for (const delay of [5, 10, 20, 40, 60, 60]) {
      await expect(execute()).rejects.toThrow("EIO");
      const { queuedFor, updatedAt } = await getTask();
      expect(queuedFor).toEqual({ kind: "machine", until: updatedAt + delay * 1_000, reason: "EIO: i/o error, read" });
      const before = reads;
      time += delay - 1;
      await execute();
      expect(reads).toBe(before);
      time += 1;
    }
    expect(await notes()).toEqual(["implement does not continue, and is tried again: EIO: i/o error, read"]);
    isBroken = false;
    await execute();
    expect(await getTask()).toMatchObject({ state: "checking", queuedFor: null });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("fails in the end with the reason", async () => {
    for (let tries = 0; (await getTask()).status !== "failed"; tries += 1) {
      expect(tries).toBeLessThan(40);
      await execute().catch(() => undefined);
      time += 60;
    }
    expect(await getTask()).toMatchObject({ reason: "EIO: i/o error, read" });
    expect((await world.runs(id)).at(-1)).toMatchObject({ status: "failed", error: "EIO: i/o error, read" });
    isBroken = false;
    expect(await world.commands.retry(id, null, ADA)).toMatchObject({ status: "queued" });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });
});
