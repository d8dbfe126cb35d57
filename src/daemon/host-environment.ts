import { statSync } from "node:fs";
import { homePaths } from "../config/files/paths.ts";
import { readRecordedPath, mergePaths } from "../config/files/recorded-path.ts";
import { withStoredKeys } from "../config/files/stored-keys.ts";
import type { Log } from "../ports/log.ts";
import type { KnownSecrets } from "./known-secrets.ts";

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

export interface HostEnvironmentParams {
  readonly env: Environment;
  readonly home: string;
  readonly secrets: Pick<KnownSecrets, "addStored">;
  readonly log: Log;
}

/** The daemon's environment, with the recorded PATH and the stored keys. Every stored key is redacted from then on. */
export function createHostEnvironment({ env, home, secrets, log }: HostEnvironmentParams): Environment {
  return withStoredKeys(withRecordedPath(env, home), home, {
    onKey: secrets.addStored,
    onProblem: (problem) => log.warn(problem),
  });
}
