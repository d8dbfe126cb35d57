import { afterEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

async function open(settings = "gates: { plan: auto }\n"): Promise<void> {
  world = await openEngineWorld({
    settings: `${settings}checks:\n  test: { command: make test }\n`,
    script: ({ name, role, run }) => {
      if (name !== "agent") return {};
      if (role === "plan")
        return { report: { outcome: "plan_complete", plan: "Greet.", plan_summary: "s", subtasks: ["Greet"] } };
      if (role === "review") return { report: { outcome: "approved", summary: "Fine.", comments: [] } };
      return { files: { "greeting.txt": `hi ${run}\n` }, report: { outcome: "implemented", summary: "greets" } };
    },
  });
}

const roles = async (id: string) => (await world.runs(id)).map(({ role, step }) => role ?? step);

describe("a task with --until", () => {
  it.each([
    ["planning", ["plan", "implement"]],
    ["plan", ["plan", "implement"]],
    ["implementing", ["plan", "implement", "checks"]],
    ["checking", ["plan", "implement", "checks", "publish"]],
    ["publishing", ["plan", "implement", "checks", "publish", "review"]],
  ])("%s is paused after that state, and resume continues it to the end", async (until, runs) => {
    await open();
    const { id } = await world.submit({ pipeline: "feature", until });
    const stopped = await world.drain(id);
    expect(stopped).toMatchObject({ status: "paused", options: { until: { reached: true } } });
    expect(await roles(id)).toEqual(runs);
    expect((await world.runs(id)).at(-1)).toMatchObject({ status: "queued" });
    const resumed = await world.commands.resume(id, ADA);
    expect(resumed).toMatchObject({ status: "queued" });
    expect(resumed.options.until).toBeUndefined();
    expect(await world.drain(id)).toMatchObject({ status: "waiting", state: "merging" });
  });

  it("planning waits for the approval if a person decides about the plan, and approve continues it", async () => {
    await open("");
    const { id } = await world.submit({ pipeline: "feature", until: "planning" });
    const stopped = await world.drain(id);
    expect(stopped).toMatchObject({
      status: "waiting",
      waitingFor: { kind: "approval" },
      options: { until: { state: "planning", reached: true } },
    });
    await world.commands.approve(id, stopped.planHash, ADA);
    const done = await world.drain(id);
    expect(done).toMatchObject({ status: "waiting", state: "merging" });
    expect(done.options.until).toBeUndefined();
  });

  it("publishing ends as usual if the pipeline ends there", async () => {
    await open();
    const { id } = await world.submit({ pipeline: "chore", until: "publishing" });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it.each([
    ["plannign", /cannot stop after "plannign"\. Did you mean "planning"\?/, /designing, planning, implementing/],
    ["merging", /cannot stop after "merging"/, /reviewing/],
    ["done", /cannot stop after "done"/, /reviewing/],
    ["designing", /cannot stop after "designing", because it skips that state/, /one of: planning, implementing/],
  ])("%s is refused with the states that are possible", async (until, message, hint) => {
    await open();
    const refused = world.submit({ pipeline: "feature", until });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });
});
