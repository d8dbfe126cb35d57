import { join } from "node:path";
import { UserError } from "../../core/text/errors.ts";
import type { RunPaths } from "../../ports/run-files.ts";

/** Where everything of a run stands. A part of a run, such as its baseline, is named `<run>/<part>`. */
export function runDir(home: string, run: string): string {
  return join(home, "runs", ...run.split("/").map(checkName));
}

export function taskHomes(home: string, task: string): string {
  return join(home, "homes", checkName(task));
}

/** What a run leaves in its directory that nobody needs after it; everything else there is its record. */
export const PASSING: readonly string[] = ["report", "tmp", "home", "agent"];

export function runPaths(home: string, params: { run: string; task: string; role: string | null }): RunPaths {
  const dir = runDir(home, params.run);
  const outcomeDir = join(dir, "report");
  return {
    dir,
    promptFile: join(dir, "prompt.md"),
    outcomeDir,
    outcomeFile: join(outcomeDir, "outcome.json"),
    reportFile: join(outcomeDir, "reported.json"),
    // An agent's sessions outlive its run. Checks get a new home each time: code under test that could leave a file there
    // would have a say in the checks that follow.
    home: params.role === null ? join(dir, "home") : join(taskHomes(home, params.task), checkName(params.role)),
    tmp: join(dir, "tmp"),
    filesDir: join(dir, "agent"),
  };
}

function checkName(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/.test(name)) return name;
  throw new UserError(
    "invalid",
    `"${name}" cannot be the name of a run, a task or a role.`,
    "Use letters, digits, _ and -.",
  );
}
