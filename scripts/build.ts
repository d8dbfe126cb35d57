import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";

const REPOSITORY = path.join(import.meta.dirname, "..");
const FOR_TESTS = new Set(["testing", "fixtures"]);

/**
 * Compiles the JavaScript for the package, because Node strips no types below node_modules, and copies the other files of
 * `src`. Programs that start once per run and the web page are bundled. Replaces `out`. Returns whether all of it succeeded.
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
  const vite = path.join(REPOSITORY, "node_modules", "vite", "bin", "vite.js");
  const steps = [
    [path.join(import.meta.dirname, "bundle-supervisor.ts"), out],
    [vite, "build", path.join(REPOSITORY, "web"), "--outDir", path.join(out, "page"), "--logLevel", "warn"],
  ];
  // Tests set another NODE_ENV, with which the page would contain the development version of React.
  const env = { ...process.env, NODE_ENV: "production" };
  return steps.every((step) => spawnSync(process.execPath, step, { stdio: "inherit", env }).status === 0);
}

if (import.meta.main) process.exitCode = build(path.join(REPOSITORY, "dist")) ? 0 : 1;
