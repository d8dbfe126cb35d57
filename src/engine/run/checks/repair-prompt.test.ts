import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openEngineWorld, type EngineWorld } from "../../../testing/engine/engine-world.ts";

let world: EngineWorld;
afterEach(() => world.close());

const LOG = "reading configuration\n".repeat(5_000);
const failing = (name: string) =>
  `${LOG}--- FAIL: ${name} (0.00s)\n    cart_test.go:9: got 10, want 12\nFAIL\n${LOG}exit status 1\n`;

it("checks that fail twice and then pass: each repair prompt names the failed tests, however much else is printed", async () => {
  world = await openEngineWorld({
    settings: "checks:\n  test: { command: go test ./... }\n",
    script: async ({ name, cwd, run }) => {
      if (name === "agent")
        return { files: { "cart.txt": `${run}\n` }, report: { outcome: "implemented", summary: "adds the tax" } };
      const tries = await readFile(join(cwd, "cart.txt"), "utf8").catch(() => "base");
      if (tries === "0\n") return { exitCode: 1, output: failing("TestTax") };
      if (tries === "1\n") return { exitCode: 1, output: failing("TestRounding") };
      return { output: "ok  \texample.com/shop\t0.002s\n" };
    },
  });
  const { id } = await world.submit();
  expect((await world.drain(id)).status).toBe("succeeded");
  const agents = (await world.runs(id)).filter(({ role }) => role === "implement");
  const prompts = await Promise.all(
    agents.map((run) => readFile(join(world.ports.runFiles.dir(run.id), "prompt.md"), "utf8")),
  );
  expect(prompts).toHaveLength(3);
  expect(prompts[1]).toMatch(/Failed tests \(1\):\n- TestTax\n/);
  expect(prompts[1]).toContain("cart_test.go:9: got 10, want 12");
  expect(prompts[2]).toMatch(/Failed tests \(1\):\n- TestRounding\n/);
});
