import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { SUPERVISOR_LOG } from "./job-files.ts";
import type { Handed } from "./job-files.ts";

export interface SupervisorProgram {
  readonly node: string;
  readonly entry: string;
  readonly compileCache: string;
}

/** A supervisor that has started, or is about to, and does nothing until it is handed its job. */
export interface WaitingSupervisor {
  readonly child: ChildProcess;
  /** The job stands in its directory: this is what stands in no file, and the word to begin. */
  handOver(handed: Handed): void;
  /** The job does not come: it ends without having touched anything. So it does when this process ends. */
  dismiss(): void;
}

export function spawnSupervisor(dir: string, program: SupervisorProgram): WaitingSupervisor {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const child = spawnDetached(dir, program);
  // Whoever waits for it hears it too. Heard by nobody, it would end the whole program.
  child.once("error", () => {});
  child.unref();
  // With no descriptor left for it, Node gives a child that has not even the streams which its type promises.
  const pipe = (child.stdio as ChildProcess["stdio"] | undefined)?.[3];
  if (!(pipe instanceof Socket))
    throw new Error("The supervisor could not be started: too many files are open, or there are too many processes.");
  // It may end without reading: another supervisor was faster. And it keeps nobody from ending.
  pipe.on("error", () => {}).unref();
  return {
    child,
    handOver: (handed) => void pipe.end(JSON.stringify(handed)),
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

/** Next to nothing of ours: what a supervisor does not know, no command can get from it. */
function supervisorEnvironment(compileCache: string): Record<string, string> {
  // The cache holds the code without its types: a supervisor starts three times as fast.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: compileCache };
  // The wall keeps the person's home out, wherever it is. And a Nightshift that is itself part of a run shall be found,
  // with its supervisors, when that run is swept.
  for (const name of ["PATH", "HOME", "NIGHTSHIFT_RUN"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
