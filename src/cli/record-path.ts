import { delimiter } from "node:path";
import { findHome } from "../config/files/paths.ts";
import { listFolders, readRecordedPath, writeRecordedPath } from "../config/files/recorded-path.ts";
import { askLoginShell } from "../daemon/detect/detect-login-path.ts";
import type { CliContext } from "./context.ts";

/** Keeps the PATH of the login shell for the daemon, which may be started where there is none of it. Never fails. */
export async function recordPath(context: CliContext): Promise<void> {
  try {
    const home = await findHome(context.env);
    const { shell, path, problem } = await askLoginShell(context.env);
    if (problem !== null) context.tell(`note: the PATH of your login shell is not known: ${problem}\n`);
    // What a shell said before is better than what this command happens to have.
    if (path === null && readRecordedPath(home)?.from === "shell") return;
    writeRecordedPath(home, {
      path: path ?? listFolders(context.env["PATH"] ?? "").join(delimiter),
      from: path === null ? "caller" : "shell",
      shell,
      problem,
      recordedAt: Date.now(),
    });
  } catch {
    // A home that cannot be used is told by whoever needs it; doctor tells that nothing is recorded.
  }
}
