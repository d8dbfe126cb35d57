import { delimiter } from "node:path";
import { findHome } from "../config/files/paths.ts";
import { listFolders, readRecordedPath, writeRecordedPath } from "../config/files/recorded-path.ts";
import { readLoginPath } from "../daemon/detect/detect-login-path.ts";
import type { CliContext } from "./context.ts";

/** Saves the PATH of the login shell for the daemon, which may be started without it (for example by systemd). Never throws. */
export async function recordPath(context: CliContext): Promise<void> {
  try {
    const home = await findHome(context.env);
    const { shell, path, problem } = await readLoginPath(context.env);
    if (problem !== null) context.progress(`Note: the PATH of your login shell could not be read: ${problem}\n`);
    // A PATH recorded earlier from a login shell is better than the PATH of this command.
    if (path === null && readRecordedPath(home)?.from === "shell") return;
    writeRecordedPath(home, {
      path: path ?? listFolders(context.env["PATH"] ?? "").join(delimiter),
      from: path === null ? "caller" : "shell",
      shell,
      problem,
      recordedAt: Date.now(),
    });
  } catch {
    // Commands that need the home folder report the problem themselves, and doctor reports a missing record.
  }
}
