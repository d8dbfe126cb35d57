import { statSync } from "node:fs";
import { homePaths } from "../config/files/paths.ts";
import { readRecordedPath, mergePaths } from "../config/files/recorded-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment that programs are looked up with: its PATH goes on with the folders of the login shell. It is as it is
 * recorded now, so that nobody has to start the daemon again after installing an agent.
 */
export function withRecordedPath(env: Environment, home: string): Environment {
  const file = homePaths(home).path;
  let known = { changed: Number.NaN, path: "" };

  function recorded(): string {
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changed !== known.changed) known = { changed, path: readRecordedPath(home)?.path ?? "" };
    return known.path;
  }

  return {
    ...env,
    get PATH() {
      return mergePaths(env["PATH"] ?? "", recorded());
    },
  };
}
