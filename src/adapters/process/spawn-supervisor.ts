import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { SUPERVISOR_LOG } from "./job-files.ts";
import type { JobSecrets } from "./job-files.ts";

export interface SupervisorProgram {
  readonly node: string;
  readonly entry: string;
  readonly compileCache: string;
}

/** A supervisor process that waits for its job. */
export interface WaitingSupervisor {
  readonly child: ChildProcess;
  /** Starts the job that was written to its directory. The secrets are sent here, because no file contains them. */
  sendSecrets(jobSecrets: JobSecrets): void;
  /** Ends the supervisor without a job. It also ends if this process exits. */
  dismiss(): void;
}

export function spawnSupervisor(dir: string, program: SupervisorProgram): WaitingSupervisor {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const child = spawnDetached(dir, program);
  // Without a listener, an error event would crash the daemon. Callers add their own listeners.
  child.once("error", () => {});
  child.unref();
  // If there are no free descriptors, Node returns a child without the stdio that its type promises.
  const pipe = (child.stdio as ChildProcess["stdio"] | undefined)?.[3];
  if (!(pipe instanceof Socket))
    throw new Error("The supervisor could not be started: there are too many open files or processes.");
  // The supervisor may exit without reading, if another one claimed the job first. The pipe must not keep the daemon alive.
  pipe.on("error", () => {}).unref();
  return {
    child,
    sendSecrets: (jobSecrets) => void pipe.end(JSON.stringify(jobSecrets)),
    dismiss: () => void pipe.destroy(),
  };
}

function spawnDetached(dir: string, { node, entry, compileCache }: SupervisorProgram): ChildProcess {
  const log = openSync(join(dir, SUPERVISOR_LOG), "a", 0o600);
  try {
    return spawn(node, [entry, dir], {
      cwd: dir,
      env: supervisorEnvironment(compileCache),
      detached: true,
      stdio: ["ignore", "ignore", log, "pipe"],
    });
  } finally {
    closeSync(log);
  }
}

/** Passes on almost nothing, so that commands cannot get secrets from the supervisor's environment. */
function supervisorEnvironment(compileCache: string): Record<string, string> {
  // The cache contains compiled code, which makes a supervisor start three times as fast.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: compileCache };
  // The sandbox needs HOME to hide the user's home directory. NIGHTSHIFT_RUN makes a nested Nightshift and its supervisors
  // part of the outer run, so that they are found when that run is ended.
  for (const name of ["PATH", "HOME", "NIGHTSHIFT_RUN"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
