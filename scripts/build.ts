import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";

const REPOSITORY = path.join(import.meta.dirname, "..");
const FOR_TESTS = new Set(["testing", "fixtures"]);

/**
 * Compiles the JavaScript for the package, because Node strips no types below node_modules, and copies the other files of
 * `src`. Programs that start once per run are bundled. Replaces `out`. Returns whether compiler and bundler succeeded.
 */
export function build(out: string): boolean {
  rmSync(out, { recursive: true, force: true });
  const tsc = path.join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");
  const project = path.join(REPOSITORY, "tsconfig.build.json");
  const { status } = spawnSync(process.execPath, [tsc, "-p", project, "--outDir", out], { stdio: "inherit" });
  if (status !== 0) return false;

  cpSync(path.join(REPOSITORY, "src"), out, {
    recursive: true,
    filter: (file) => !FOR_TESTS.has(path.basename(file)) && !file.endsWith(".ts"),
  });
  const bundle = path.join(import.meta.dirname, "bundle-supervisor.ts");
  return spawnSync(process.execPath, [bundle, out], { stdio: "inherit" }).status === 0;
}

if (import.meta.main) process.exitCode = build(path.join(REPOSITORY, "dist")) ? 0 : 1;
