import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";
import { measureProject, type ProjectBaseline } from "./measure-baseline.ts";

let world: EngineWorld;
afterEach(() => world.close());

const SETTINGS =
  "workspace: { setup: make deps }\nchecks:\n  test: { command: npm test }\n  lint: { command: npm run lint }\n";

async function open(ends: Readonly<Record<string, ScriptedEnd>>, settings = SETTINGS): Promise<void> {
  world = await openEngineWorld({ settings, script: ({ name }) => ends[name] ?? {} });
}

async function measure(): Promise<ProjectBaseline> {
  const project = await world.ports.store.projects.getProject("shop");
  if (project === null) throw new Error("no project");
  return measureProject(world.ports, project, { signal: new AbortController().signal });
}

const statuses = ({ results }: ProjectBaseline) => results.map(({ name, status }) => `${name} ${status}`);

describe("measureProject", () => {
  it("runs set-up and the checks on the newest commit of the default branch, and leaves no files behind", async () => {
    await open({ "check:lint": { exitCode: 1, output: "2 problems" } });
    const measured = await measure();
    expect(measured).toMatchObject({ branch: "main", commit: await world.repo.git("rev-parse", "HEAD") });
    expect(statuses(measured)).toEqual(["test passed", "lint failed"]);
    expect(measured.results[1]?.tail).toBe("2 problems");
    expect(world.supervisors.started).toEqual(["setup", "check:test", "check:lint"]);
    expect(await world.ports.workspaces.list()).toEqual([]);
    expect(await readdir(join(world.ports.host.home, "runs"))).toEqual([]);
  });

  it("a second measurement of the same commit runs nothing that passed", async () => {
    await open({});
    const first = await measure();
    const before = world.supervisors.started.length;
    expect(await measure()).toEqual(first);
    expect(world.supervisors.started).toHaveLength(before);
  });

  it("a check that failed runs again, because people ask after a repair of the machine", async () => {
    const ends = { "check:lint": { exitCode: 1, output: "no module named yaml" } };
    await open(ends);
    await measure();
    ends["check:lint"] = { exitCode: 0, output: "" };
    expect(statuses(await measure())).toEqual(["test passed", "lint passed"]);
    expect(world.supervisors.started.slice(3)).toEqual(["setup", "check:lint"]);
  });

  it("says which checks can reject a change", async () => {
    await open({});
    expect((await measure()).results.map(({ name, decides }) => [name, decides])).toEqual([
      ["test", true],
      ["lint", false],
    ]);
  });

  it("measurements at the same time run each check once", async () => {
    await open({});
    const [one, other] = await Promise.all([measure(), measure()]);
    expect(one).toEqual(other);
    expect(world.supervisors.started).toEqual(["setup", "check:test", "check:lint"]);
  });

  it.each<[why: string, end: ScriptedEnd]>([
    ["exits with 127", { exitCode: 127, output: "uv: not found" }],
    ["exits with 126", { exitCode: 126, output: "permission denied" }],
    ["times out", { exitCode: 143, endedBy: "timeout" }],
  ])("a check that %s could not run, and is measured again", async (_why, end) => {
    await open({ "check:test": end });
    expect(statuses(await measure())).toEqual(["test could_not_run", "lint passed"]);
    await measure();
    expect(world.supervisors.started).toEqual(["setup", "check:test", "check:lint", "setup", "check:test"]);
  });

  it("if set-up fails, no check could run, and the result says why", async () => {
    await open({ setup: { exitCode: 1, output: "no network" } });
    const measured = await measure();
    expect(statuses(measured)).toEqual(["test could_not_run", "lint could_not_run"]);
    expect(measured.results[0]?.tail).toMatch(/set-up command exited with code 1.*no network/s);
    expect(world.supervisors.started).toEqual(["setup"]);
  });

  it("a new commit is measured again", async () => {
    await open({});
    await measure();
    const commit = await world.repo.commit({ "greeting.txt": "hi\n" });
    expect((await measure()).commit).toBe(commit);
    expect(world.supervisors.started).toHaveLength(6);
  });

  it("a changed command or set-up is measured again", async () => {
    await open({});
    await measure();
    const project = await world.ports.store.projects.getProject("shop");
    if (project === null) throw new Error("no project");
    const settings = await world.ports.projects.settings(project);
    const check = settings.checks[0];
    if (check === undefined) throw new Error("no check");
    const changed = [
      { ...settings, checks: [{ ...check, command: "npm run test:all" }] },
      { ...settings, checks: [check], workspace: { ...settings.workspace, setup: "make other-deps" } },
      { ...settings, checks: [check], sandbox: { ...settings.sandbox, network: ["registry.example.com"] } },
    ];
    for (const [index, each] of changed.entries()) {
      const ports = { ...world.ports, projects: { ...world.ports.projects, settings: async () => each } };
      await measureProject(ports, project, { signal: new AbortController().signal });
      expect(world.supervisors.started).toHaveLength(3 + 2 * (index + 1));
    }
  });
});
