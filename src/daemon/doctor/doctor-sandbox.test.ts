import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingToolError } from "../../adapters/sandboxes/self-test/diagnose.ts";
import { none } from "../../adapters/sandboxes/index.ts";
import { checkSandbox } from "./doctor-sandbox.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "doctor-sandbox-"));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

test.runIf(process.platform === "linux")(
  "doctor reports a working sandbox as one finding with a line per probe",
  async () => {
    const findings = await checkSandbox({ mode: "enforce", home, env: { HOME: home } });
    expect(findings).toMatchObject([{ name: "sandbox", ok: "yes", fix: null }]);
    const [summary, ...lines] = findings[0]?.detail.split("\n") ?? [];
    expect(summary).toMatch(/^bubblewrap \d+\.\d+\.\d+ works: (\d+) of \1 probes passed$/);
    expect(lines).toContain("direct network: none");
    expect(summary).toContain(`${lines.length} of`);
    expect(readdirSync(home)).toEqual([]);
  },
);

test.runIf(process.platform === "linux")("doctor reports each failed sandbox probe as its own finding", async () => {
  const findings = await checkSandbox({ mode: "enforce", home, env: { HOME: home }, sandbox: none });
  expect(findings[0]).toMatchObject({ name: "sandbox", ok: "no", detail: expect.stringContaining("does not work") });
  expect(findings.slice(1)).toContainEqual({
    name: "sandbox: writes outside",
    ok: "no",
    detail: "a file outside of the workspace was written",
    fix: expect.stringContaining("no run starts until this is fixed"),
  });
});

test("doctor says how to fix a sandbox that cannot start", async () => {
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

test.each(["none", "external"] as const)("doctor warns about sandbox mode %s", async (mode) => {
  expect(await checkSandbox({ mode, home, env: {} })).toMatchObject([
    { name: "sandbox", ok: "warn", detail: expect.stringContaining(`${mode.toUpperCase()}: `) },
  ]);
});
