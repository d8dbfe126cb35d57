import { join } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import type { RunPaths } from "../../ports/run-files.ts";

/** Returns the directory of a run. A part of a run, such as its baseline, is named `<run>/<part>`. */
export function runDir(home: string, run: string): string {
  return join(home, "runs", ...run.split("/").map(checkName));
}

export function taskHomes(home: string, task: string): string {
  return join(home, "homes", checkName(task));
}

/** Entries of a run's directory that are removed after the run. All other files are kept as its record. */
export const TEMPORARY_ENTRIES: readonly string[] = ["report", "tmp", "home", "agent", "record"];

export function runPaths(home: string, params: { run: string; task: string; role: string | null }): RunPaths {
  const dir = runDir(home, params.run);
  const outcomeDir = join(dir, "report");
  return {
    dir,
    promptFile: join(dir, "prompt.md"),
    outcomeDir,
    outcomeFile: join(outcomeDir, "outcome.json"),
    reportFile: join(outcomeDir, "reported.json"),
    // An agent keeps its home across runs for its sessions. Checks get a new home each time, because code under test could
    // leave files there that affect later checks.
    home: params.role === null ? join(dir, "home") : join(taskHomes(home, params.task), checkName(params.role)),
    tmp: join(dir, "tmp"),
    filesDir: join(dir, "agent"),
  };
}

function checkName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/.test(name)) return name;
  throw new UserError(
    "invalid",
    `"${name}" is not a valid name of a run, a task or a role.`,
    "Use letters, digits, _ and -.",
  );
}
