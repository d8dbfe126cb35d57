import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { UserError } from "../../core/text/errors.ts";
import { SAMPLE_DRAFT } from "../../testing/builders.ts";
import { previewTask } from "../commands/preview-task.ts";

let world: EngineWorld;
afterEach(() => world.close());

const NIGHT = {
  pipeline: "improve",
  improve: { category: "docs", only: false, scheduledAt: null },
} as const;

async function open(settings = ""): Promise<void> {
  world = await openEngineWorld({
    files: { "package.json": "{}\n", "src/a.txt": "a\n", "src/b.txt": "b\n" },
    settings,
    script: ({ name }) =>
      name === "agent" ? { report: { outcome: "no_improvement", reason: "nothing", files_scanned: 1 } } : {},
  });
}

it("a night without an eligible file ends at once, says why, and starts no agent", async () => {
  await open("improve: { avoid_recent_commits: 10 }\n");
  const task = await world.drain((await world.submit(NIGHT)).id);
  expect([task.status, task.state]).toEqual(["succeeded", "no_improvement"]);
  expect(task.reason).toMatch(/no file can be changed: of \d+ files, \d+ changed within the last 10 commits/);
  expect(world.supervisors.started).toEqual([]);
  expect(await world.runs(task.id)).toHaveLength(1);
});

it("a repository that has only dependency files is not analyzed either", async () => {
  await open("improve: { avoid_recent_commits: 0 }\n");
  await world.repo.commit({ "greeting.txt": null, "src/a.txt": null, "src/b.txt": null });
  const task = await world.drain((await world.submit(NIGHT)).id);
  expect(task.reason).toMatch(/no file can be changed: of \d+ files, \d+ define dependencies or checks/);
  expect(world.supervisors.started).toEqual([]);
});

it("by default, a young repository is analyzed, and the preview counts the same files", async () => {
  await open();
  const preview = await previewTask(world.ports, { ...SAMPLE_DRAFT, ...NIGHT }, ADA);
  expect(preview.limits.avoidRecentCommits).toBe(0);
  expect(preview.files).toMatchObject({ eligible: 3, problem: null });
  const task = await world.submit(NIGHT);
  await world.step(task.id);
  expect(world.supervisors.started).toEqual(["agent:analyze"]);
});

it("the preview says that no file is eligible, and does not fail if the remote cannot be read", async () => {
  await open("improve: { avoid_recent_commits: 10 }\n");
  const preview = await previewTask(world.ports, { ...SAMPLE_DRAFT, ...NIGHT }, ADA);
  expect(preview.files).toMatchObject({ eligible: 0, problem: expect.stringContaining("avoid_recent_commits") });
  const gone = {
    ...world.ports,
    workspaces: { ...world.ports.workspaces, sync: () => Promise.reject(new UserError("unavailable", "gone")) },
  };
  expect((await previewTask(gone, { ...SAMPLE_DRAFT, ...NIGHT }, ADA)).files).toBeNull();
});

it("the analysis is told which files are excluded, by directory where all of its files are", async () => {
  await open("improve: { avoid_recent_commits: 1 }\n");
  await world.repo.commit({ "src/a.txt": "changed\n", "src/b.txt": "changed\n" });
  const task = await world.submit(NIGHT);
  const run = await world.step(task.id);
  const prompt = await readFile(join(world.repo.path, "home/runs", run?.id ?? "", "prompt.md"), "utf8");
  expect(prompt).toMatch(/A candidate may touch \d+ of the \d+ files/);
  expect(prompt).toContain("Changed by the last commit:\n- nightshift.yaml\n- src/\n");
  expect(prompt).toMatch(/Define dependencies or checks:\n(- .+\n)*- package\.json/);
});
