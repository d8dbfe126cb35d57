import { statSync } from "node:fs";
import { homePaths } from "../config/files/paths.ts";
import { readRecordedPath, mergePaths } from "../config/files/recorded-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment for finding programs: PATH also contains the recorded folders of the login shell. The record is read
 * again when it changes, so that the daemon finds a newly installed agent without a restart.
 */
export function withRecordedPath(env: Environment, home: string): Environment {
  const file = homePaths(home).path;
  let cached = { mtimeMs: Number.NaN, path: "" };

  function loadRecordedPath(): string {
    const mtimeMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (mtimeMs !== cached.mtimeMs) cached = { mtimeMs, path: readRecordedPath(home)?.path ?? "" };
    return cached.path;
  }

  return {
    ...env,
    get PATH() {
      return mergePaths(env["PATH"] ?? "", loadRecordedPath());
    },
  };
}
