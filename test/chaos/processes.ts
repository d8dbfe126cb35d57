import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
  /** The run that the process belongs to, or null. */
  readonly run: string | null;
}

/** Returns all live processes with this home in their command line or environment. Linux only. */
export function processesOf(home: string): readonly FoundProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => readProcess(Number(name), home));
}

export function supervisorsOf(home: string): readonly FoundProcess[] {
  return processesOf(home).filter(({ command }) => command.includes("supervisor/main."));
}

export function agentsOf(home: string): readonly FoundProcess[] {
  return processesOf(home).filter(({ command }) => command.includes("play-script."));
}

/** Returns false if the process had already exited. */
export function kill({ pid }: Pick<FoundProcess, "pid">): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

function readProcess(pid: number, home: string): readonly FoundProcess[] {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    // A zombie has no command line any more.
    if (command === "") return [];
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    if (!command.includes(home) && !environment.includes(home)) return [];
    return [{ pid, command, run: /\brun_[0-9a-z]{10}/.exec(`${command} ${environment}`)?.[0] ?? null }];
  } catch {
    return [];
  }
}
