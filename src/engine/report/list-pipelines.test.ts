import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { listPipelines } from "./list-pipelines.ts";

let world: EngineWorld;
afterEach(() => world.close());

const BROKEN = "name: chore\nstart: nowhere\nstates:\n  done: { end: succeeded }\n";

it("pipelines are the built-in ones with the project's limits, and the problems of its own files", async () => {
  world = await openEngineWorld({ script: () => ({}), settings: "repair_attempts: 7\n" });
  const file = join(world.repo.checkout, ".nightshift/pipelines/chore.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, BROKEN);
  const { pipelines, problems } = await listPipelines(world.ports, await world.ports.store.projects.listProjects());
  expect(pipelines.map(({ pipeline }) => pipeline.name)).toEqual(expect.arrayContaining(["feature", "improve"]));
  expect(new Set(pipelines.map(({ limits }) => limits["repair"]))).toEqual(new Set([7]));
  expect(problems.map(({ project }) => project)).toContain("shop");
  expect(problems).toContainEqual(expect.objectContaining({ line: 2, message: expect.stringContaining("nowhere") }));
});

it("without a project, the built-in pipelines have their own limits", async () => {
  world = await openEngineWorld({ script: () => ({}) });
  const { pipelines, problems } = await listPipelines(world.ports, []);
  expect(pipelines.every(({ project, limits }) => project === null && Object.keys(limits).length === 0)).toBe(true);
  expect(problems).toEqual([]);
});
