import { afterEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";
import { exampleOf } from "../../../core/outcomes/outcome.ts";

let world: EngineWorld;
afterEach(() => world.close());

// Not a real one, and not written in one piece, so that no scanner finds it in this file.
const KEY = ["ghp", "Zx81kQ7mP3vN9tR5wY2bC6dF8gH4jL0sA1eU"].join("_");
const LEAK = { "reports/keys.txt": `token: ${KEY}\n` };
const CLEAN = { "reports/keys.txt": "none\n" };

/** Plays a staged task whose executor writes these files. */
async function execute(files: Readonly<Record<string, string>>, settings = "") {
  const plan = { ...exampleOf("plan_complete", "execution"), directories: ["reports"], tools: [], network: [] };
  world = await openEngineWorld({
    settings,
    files: { "reports/old.txt": "old\n" },
    script: ({ role }) =>
      role === "execute"
        ? { files, report: { outcome: "completed", summary: "done", result: "It is written." } }
        : { report: plan },
  });
  const { id } = await world.submit({ pipeline: "staged" });
  const waiting = await world.drain(id);
  await world.commands.approve(id, waiting.planHash, ADA);
  const task = await world.drain(id);
  const checks = await world.ports.store.tasks.listChecks(id);
  return { task, secrets: checks.map(({ name, status }) => `${name}: ${status}`), runs: await world.runs(id) };
}

describe("secret scan after a role without a checks step", () => {
  it("files without a secret pass, and the result is recorded", async () => {
    const { task, secrets } = await execute(CLEAN);
    expect(task).toMatchObject({ status: "succeeded", outcome: "completed" });
    expect(secrets).toEqual(["no-secrets: passed"]);
  });

  it("a secret is sent back to the agent, with the finding but without the secret", async () => {
    const { task, secrets, runs } = await execute(LEAK);
    expect(task).toMatchObject({ status: "queued", state: "running" });
    expect(secrets).toEqual(["no-secrets: failed"]);
    const [failed, repair] = runs.slice(-2);
    expect(failed).toMatchObject({ role: "execute", outcome: "policy_failed", status: "failed" });
    expect(repair?.trigger).toMatchObject({ text: expect.stringMatching(/reports\/keys\.txt:1/) });
    expect(JSON.stringify(runs)).not.toContain(KEY);
  });

  it("is off if the project turned no-secrets off", async () => {
    const { task, secrets } = await execute(LEAK, "checks: { no-secrets: { enabled: false } }\n");
    expect(task).toMatchObject({ status: "succeeded" });
    expect(secrets).toEqual([]);
  });
});
