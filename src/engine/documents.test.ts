import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { TaskDraft } from "../core/task/task-draft.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../testing/engine/scripted-supervisors.ts";

const REPORTS: Readonly<Record<string, (run: number) => ScriptedEnd["report"]>> = {
  design: (run) => ({ outcome: "design_ready", design: `## Design ${run + 1}\nDESIGN TEXT`, summary: "A design." }),
  plan: () => plan("First plan."),
  plan_revision: () => plan("Second plan."),
  investigate: () => ({
    outcome: "investigation_complete",
    report: "## Cause\nLONG REPORT",
    summary: "The sign is dropped.",
    options: [
      { id: "keep", title: "Keep the sign", description: "Small." },
      { id: "type", title: "A price type", description: "Large." },
    ],
    subtasks: ["Parse it"],
  }),
  implement: () => ({ outcome: "implemented", summary: "Done.", subtasks_done: [1] }),
};

function plan(text: string): ScriptedEnd["report"] {
  return { outcome: "plan_complete", plan: text, plan_summary: "s", subtasks: ["Step one"], files: ["greeting.txt"] };
}

let world: EngineWorld;
afterEach(() => world.close());

async function start(draft: Partial<TaskDraft>) {
  world = await openEngineWorld({
    script: ({ name, role, run }) => {
      const report = name === "agent" ? REPORTS[role]?.(run) : undefined;
      if (report === undefined) return {};
      return { report, files: role === "implement" ? { "greeting.txt": "hi" } : {} };
    },
  });
  return world.drain((await world.submit(draft)).id);
}

async function promptOf(task: string, role: string): Promise<string> {
  const run = (await world.runs(task)).findLast((each) => each.role === role);
  return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
}

describe("documents of a feature", () => {
  it("a person approves exactly the design and the plan that were shown, and later agents get both in full", async () => {
    const designed = await start({ pipeline: "feature", design: true });
    expect(designed).toMatchObject({
      state: "design_review",
      waitingFor: { kind: "approval", document: { kind: "design", version: 1 } },
    });
    const designHash = designed.documents.at(-1)?.hash ?? "";
    await expect(world.commands.approve(designed.id, "0".repeat(64), ADA)).rejects.toThrow(
      /changed since it was shown/,
    );
    await world.commands.approve(designed.id, designHash, ADA);
    const planned = await world.drain(designed.id);
    expect(await promptOf(planned.id, "plan")).toContain("DESIGN TEXT");
    expect(planned).toMatchObject({ state: "plan_review", waitingFor: { document: { kind: "plan", version: 1 } } });
    // The approval of the design is not one of the plan.
    await expect(world.commands.approve(planned.id, designHash, ADA)).rejects.toThrow(/changed since it was shown/);
    await world.commands.approve(planned.id, planned.planHash, ADA);
    await world.drain(planned.id);
    const prompt = await promptOf(planned.id, "implement");
    expect(prompt).toContain("DESIGN TEXT");
    expect(prompt).toContain("First plan.");
    expect(prompt).toContain("1. [ ] Step one");
  });

  it("a revised plan is a new version, and the old one is kept", async () => {
    const planned = await start({ pipeline: "feature" });
    await world.commands.revise(planned.id, "Smaller, please.", ADA);
    const revised = await world.drain(planned.id);
    expect(revised.documents.map(({ kind, version }) => `${kind} ${version}`)).toEqual(["plan 1", "plan 2"]);
    const versions = [1, 2].map((version) => world.ports.store.tasks.getDocument(planned.id, "plan", version));
    expect((await Promise.all(versions)).map((each) => each?.content["plan"])).toEqual(["First plan.", "Second plan."]);
    const prompt = await promptOf(planned.id, "plan_revision");
    expect(prompt).toContain("First plan.");
    expect(prompt).toContain("Smaller, please.");
    // The old plan can no longer be approved.
    await expect(world.commands.approve(planned.id, planned.planHash, ADA)).rejects.toThrow(
      /changed since it was shown/,
    );
  });
});

it("a bug: the report is shown to later agents, and the chosen fix is implemented without a plan if the person says so", async () => {
  const investigated = await start({ pipeline: "bug", priority: "high", tags: ["prices"] });
  expect(investigated).toMatchObject({ state: "investigation_review", waitingFor: { reason: "The sign is dropped." } });
  await expect(world.commands.choose(investigated.id, { option: "implementing" }, ADA)).rejects.toThrow(/keep, type/);
  await world.commands.choose(investigated.id, { option: "type", note: "no floats", then: "implement" }, ADA);
  const task = await world.drain(investigated.id);
  expect(world.supervisors.started).not.toContain("agent:plan");
  expect(task.subtasks).toEqual([{ title: "Parse it", done: true }]);
  const prompt = await promptOf(task.id, "implement");
  for (const part of ["LONG REPORT", "chose type: no floats", "priority: high", "tags: prices"])
    expect(prompt).toContain(part);
});
