import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingToolError } from "../../adapters/sandboxes/self-test/diagnose.ts";
import { none } from "../../adapters/sandboxes/none.ts";
import { checkSandbox } from "./doctor-sandbox.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "doctor-sandbox-"));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

test.runIf(process.platform === "linux")("a wall that holds is one finding with a line per probe", async () => {
  const findings = await checkSandbox({ mode: "enforce", home, env: { HOME: home } });
  expect(findings).toMatchObject([{ name: "sandbox", ok: "yes", fix: null }]);
  const [sum, ...lines] = findings[0]?.detail.split("\n") ?? [];
  expect(sum).toMatch(/^bubblewrap \d+\.\d+\.\d+ holds: (\d+) of \1 probes passed$/);
  expect(lines).toContain("direct network: none");
  expect(sum).toContain(`${lines.length} of`);
  expect(readdirSync(home)).toEqual([]);
});

test.runIf(process.platform === "linux")("what gets through has a finding of its own", async () => {
  const findings = await checkSandbox({ mode: "enforce", home, env: { HOME: home }, sandbox: none });
  expect(findings[0]).toMatchObject({ name: "sandbox", ok: "no", detail: expect.stringContaining("does not hold") });
  expect(findings.slice(1)).toContainEqual({
    name: "sandbox: writes outside",
    ok: "no",
    detail: "a file outside of the workspace was written",
    fix: expect.stringContaining("`external`"),
  });
});

test("a wall that cannot be put up says what repairs it", async () => {
  const sandbox = { ...none, open: () => Promise.reject(missingToolError("bwrap")) };
  expect(await checkSandbox({ mode: "enforce", home, env: { HOME: home }, sandbox })).toMatchObject([
    {
      name: "sandbox",
      ok: "no",
      detail: expect.stringContaining("not installed"),
      fix: expect.stringMatching(/install/i),
    },
  ]);
});

test.each(["none", "external"] as const)("%s is one loud line", async (mode) => {
  expect(await checkSandbox({ mode, home, env: {} })).toMatchObject([
    { name: "sandbox", ok: "warn", detail: expect.stringContaining(`${mode.toUpperCase()}: `) },
  ]);
});
