import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const REPOSITORY = path.join(import.meta.dirname, "..");

/** Code in `src/core` that breaks each rule. */
const DEFECTS: Record<string, string> = {
  "no-floating-promises": "export function go(): void {\n  Promise.resolve(1).then(String);\n}",
  "no-misused-promises": "export const same = [1, 2].filter(async (n) => (await Promise.resolve(n)) > 1);",
  "switch-exhaustiveness-check":
    'export function name(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}',
  "only-throw-error": 'export function stop(): never {\n  throw "stop";\n}',
  "no-explicit-any": "export const anything = (value: any): unknown => value;",
  "consistent-type-imports": 'import { Role } from "./role.ts";\nexport const role = (value: Role): Role => value;',
  "no-default-export": "export default 1;",
  "max-params":
    "export const sum = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;",
  "max-lines": "export const lines = [\n" + "  1,\n".repeat(400) + "];",
  "max-lines-per-function":
    "export function long(): number {\n  let n = 0;\n" + "  n += 1;\n".repeat(80) + "  return n;\n}",
  "no-restricted-properties": "export const now = (): number => Date.now() + Math.random();",
  "no-restricted-globals": "export const later = (): unknown => setTimeout(String, 1);",
};

/** What only `src/engine` must not contain: it asks the clock of its ports. */
const ENGINE_DEFECTS: Record<string, readonly [rule: string, code: string]> = {
  timeout: ["no-restricted-globals", "export const later = (): unknown => setTimeout(String, 1);"],
  interval: ["no-restricted-globals", "export const often = (): unknown => setInterval(String, 1);"],
  signal: ["no-restricted-properties", "export const limit = (): AbortSignal => AbortSignal.timeout(1);"],
  now: ["no-restricted-properties", "export const now = (): number => Date.now();"],
};

let root: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "lint-"));
  for (const room of ["core", "engine"]) await mkdir(path.join(root, "src", room), { recursive: true });
  for (const file of [".oxlintrc.json", "tsconfig.json"])
    await copyFile(path.join(REPOSITORY, file), path.join(root, file));
  await symlink(path.join(REPOSITORY, "node_modules"), path.join(root, "node_modules"));
  await writeFile(path.join(root, "src", "core", "role.ts"), 'export type Role = "plan";\n');
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

test("lint: each rule catches its violation, and valid code passes", async () => {
  expect(lint()).toEqual([]);

  for (const [rule, code] of Object.entries(DEFECTS)) {
    await writeFile(path.join(root, "src", "core", `${rule}.ts`), `${code}\n`);
  }
  for (const [name, [, code]] of Object.entries(ENGINE_DEFECTS)) {
    await writeFile(path.join(root, "src", "engine", `${name}.ts`), `${code}\n`);
    await writeFile(path.join(root, "src", "engine", `${name}.test.ts`), `${code}\n`);
  }
  const found = lint();
  for (const rule of Object.keys(DEFECTS))
    expect(found, rule).toContainEqual(expect.stringMatching(`${rule}.ts .*\\(${rule}\\)`));
  for (const [name, [rule]] of Object.entries(ENGINE_DEFECTS)) {
    expect(found, name).toContainEqual(expect.stringMatching(`engine/${name}.ts .*\\(${rule}\\)`));
    expect(found, "tests may use timers").not.toContainEqual(expect.stringContaining(`engine/${name}.test.ts`));
  }
});

/** `file plugin(rule)` of each finding. */
function lint(): string[] {
  const oxlint = path.join(REPOSITORY, "node_modules", "oxlint", "bin", "oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json", "src"], { cwd: root, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] }; // oxlint's own format
  return diagnostics.map(({ filename, code }) => `${filename} ${code}`);
}
