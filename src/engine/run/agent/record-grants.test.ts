import { afterEach, describe, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

const SETTINGS = [
  "sandbox: { network: [registry.example], read: [/opt/data], commands: [node] }",
  "secrets: { NPM_TOKEN: { roles: [implement] } }",
  "roles: { implement: { timeout: 5m, max_turns: 40 } }",
  "budget: { run_usd: 2 }",
  "",
].join("\n");

describe("what a run was granted", () => {
  it("is recorded as it was when the agent started, with names of secrets only", async () => {
    process.env["NPM_TOKEN"] = "hush-hush-hush";
    world = await openEngineWorld({
      settings: SETTINGS,
      script: ({ name }) =>
        name === "agent"
          ? { files: { "a.txt": "a" }, report: { outcome: "implemented", summary: "Done." } }
          : { exitCode: 0 },
    });
    const task = await world.drain((await world.submit({ pipeline: "chore" })).id);
    const runs = await world.runs(task.id);
    const [implement] = runs.filter(({ role }) => role === "implement");
    expect(implement?.granted?.limits).toEqual({ timeoutMs: 300_000, maxTurns: 40, budgetUsd: 2 });
    expect(implement?.granted?.grants).toMatchObject({
      commands: ["node"],
      network: ["registry.example"],
      secrets: ["NPM_TOKEN"],
      mcp: [],
      sandbox: "none",
    });
    expect(implement?.granted?.grants.directories).toEqual([
      { path: expect.stringContaining(implement?.id ?? "?"), access: "write" },
      { path: "/opt/data", access: "read" },
    ]);
    expect(JSON.stringify(runs)).not.toContain("hush-hush");
    expect(runs.filter(({ step }) => step === "checks").map(({ granted }) => granted)).toContain(null);
  });
});
