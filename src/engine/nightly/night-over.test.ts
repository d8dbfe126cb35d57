import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const NIGHT = { pipeline: "improve", improve: { category: "docs", only: false, scheduledAt: null } } as const;
const ANALYSIS = {
  report: {
    outcome: "improvement_found",
    category: "docs",
    candidates: [{ rank: 1, title: "Greet the world", files: ["greeting.txt"], description: "d", rationale: "r" }],
    selected: 1,
    slug: "greet-the-world",
  },
};
const CHANGE = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};

async function open(settings: string, check: ScriptedEnd): Promise<void> {
  let agents = 0;
  world = await openEngineWorld({
    settings,
    script: ({ name }) => (name === "agent" ? (agents++ === 0 ? ANALYSIS : CHANGE) : check),
  });
}

it("a night whose checks cannot run pays for one analysis only, and says why", async () => {
  await open("checks:\n  test: { command: uv run pytest }\n", { exitCode: 127, output: "uv: not found" });
  const task = await world.drain((await world.submit(NIGHT)).id);
  expect([task.status, task.state]).toEqual(["failed", "abandoned"]);
  expect(world.supervisors.started.filter((name) => name.startsWith("agent:"))).toEqual([
    "agent:analyze",
    "agent:implement",
  ]);
  expect(task.reason).toContain("none of the project's checks can run here (test); run nightshift doctor");
});

it("a night whose settings cannot prepare a workspace ends at its first run", async () => {
  await open("workspace: { copy: [node_modules] }\n", {});
  await mkdir(join(world.repo.checkout, "node_modules"));
  const task = await world.drain((await world.submit(NIGHT)).id);
  expect([task.status, task.outcome]).toEqual(["failed", "setup_failed"]);
  expect(task.reason).toContain('"node_modules" cannot be copied into a workspace');
  expect(await world.runs(task.id)).toHaveLength(1);
  expect(world.supervisors.started).toEqual([]);
});
