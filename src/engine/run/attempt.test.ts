import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld, type EngineWorldOptions } from "../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../testing/engine/scripted-supervisors.ts";
import { git } from "../../testing/temp-repo.ts";

let world: EngineWorld;
afterEach(() => world.close());

const IMPLEMENTED = { outcome: "implemented", summary: "greets the world" };
const CHANGE: ScriptedEnd = { files: { "greeting.txt": "hello, world\n" }, report: IMPLEMENTED };
const WITH_TEST = "checks:\n  test: { command: npm test }\n";

async function open(options: EngineWorldOptions): Promise<EngineWorld> {
  world = await openEngineWorld(options);
  return world;
}

describe("attempt: the chore pipeline", () => {
  it("implements, checks and pushes a task", async () => {
    await open({ script: ({ name }) => (name === "agent" ? CHANGE : {}), settings: WITH_TEST });
    const { id } = await world.submit();
    const task = await world.drain(id);
    expect([task.status, task.state]).toEqual(["succeeded", "done"]);
    expect(await world.path(id)).toEqual(["checking", "publishing", "done"]);
    expect(world.supervisors.started).toEqual(["agent:implement", "check:test"]);
    expect(await git(world.repo.remote, "show", `${task.branch}:greeting.txt`)).toBe("hello, world");
  });

  it("passes the output of a failed check to the agent's next attempt", async () => {
    const prompts: string[] = [];
    await open({
      settings: WITH_TEST,
      script: ({ name, run }) => {
        if (name === "agent") return { ...CHANGE, files: { "greeting.txt": `try ${run}\n` } };
        // A check that fails runs once more on the base commit, to find out whether the change broke it.
        return run === 0 ? { exitCode: 1, output: "expected hello, got try 0" } : {};
      },
      over: ({ runFiles }) => ({
        runFiles: {
          ...runFiles,
          writePrompt: async (run, text) => {
            prompts.push(text);
            await runFiles.writePrompt(run, text);
          },
        },
      }),
    });
    const { id } = await world.submit();
    expect((await world.drain(id)).status).toBe("succeeded");
    expect(prompts).toHaveLength(2);
    expect(prompts[0]).not.toContain("expected hello");
    expect(prompts[1]).toContain("expected hello, got try 0");
  });
});

describe("attempt: a failed run ends with the matching outcome", () => {
  it.each([
    ["no report", {}, "invalid_output"],
    ["exit code 3 without a report", { exitCode: 3 }, "agent_error"],
    ["a claimed change without a changed file", { report: IMPLEMENTED }, "no_changes"],
    ["a timeout", { endedBy: "timeout", exitCode: 1 }, "timeout"],
    ["an outcome that the role may not report", { report: { outcome: "approved", summary: "" } }, "invalid_output"],
    ["a lost supervisor", { lost: true }, "interrupted"],
  ] as const)("%s", async (_title, end, outcome) => {
    await open({ script: () => end });
    const { id } = await world.submit();
    const run = await world.step(id);
    expect(run?.outcome).toBe(outcome);
  });

  it("a step that throws ends the run as agent_error and keeps the message", async () => {
    await open({
      script: () => CHANGE,
      over: ({ workspaces }) => ({
        workspaces: { ...workspaces, collect: () => Promise.reject(new Error("the index is corrupt")) },
      }),
    });
    const { id } = await world.submit();
    expect(await world.step(id)).toMatchObject({
      outcome: "agent_error",
      error: "the index is corrupt",
      costUsd: null,
    });
  });
});

describe("attempt: fencing", () => {
  it("a run that another process took over commits nothing", async () => {
    await open({
      script: async () => {
        const [run] = await world.ports.store.tasks.listOpenRuns();
        if (run?.token === 1) await world.ports.store.tasks.takeRun(run.id, Date.now());
        return CHANGE;
      },
    });
    const { id } = await world.submit();
    expect(await world.step(id)).toMatchObject({ token: 2, status: "running", outcome: null });
    const task = await world.ports.store.tasks.getTask(id);
    expect([task?.state, task?.status]).toEqual(["implementing", "running"]);
  });

  it("an attempt aborted after its agent ended is completed without starting the agent again", async () => {
    const stopping = new AbortController();
    await open({
      script: () => CHANGE,
      pass: (checkpoint) => {
        if (checkpoint === "supervisor.ended") stopping.abort(new Error("the daemon stops"));
      },
    });
    const { id } = await world.submit();
    await world.step(id, stopping.signal).catch(() => null);
    expect((await world.runs(id)).map(({ outcome }) => outcome)).toEqual([null]);
    expect(await world.step(id)).toMatchObject({ outcome: "implemented", attempt: 1 });
    expect(world.supervisors.started).toEqual(["agent:implement"]);
  });
});
