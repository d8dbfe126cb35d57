import { spawnSupervisor } from "./spawn-supervisor.ts";
import type { SupervisorProgram, WaitingSupervisor } from "./spawn-supervisor.ts";

/** Supervisors that were started before their jobs are ready, by job directory. */
export interface PreparedSupervisors {
  prepare(dir: string): void;
  /** Returns null if none was prepared or it has died while waiting. */
  take(dir: string): WaitingSupervisor | null;
  dismiss(dir: string): void;
}

export function createPreparedSupervisors(program: SupervisorProgram): PreparedSupervisors {
  const waiting = new Map<string, WaitingSupervisor>();

  function take(dir: string): WaitingSupervisor | null {
    const supervisor = waiting.get(dir) ?? null;
    waiting.delete(dir);
    return supervisor;
  }

  return {
    prepare(dir) {
      if (waiting.has(dir)) return;
      const supervisor = spawnSupervisor(dir, program);
      waiting.set(dir, supervisor);
      const { child } = supervisor;
      for (const event of ["error", "exit"] as const)
        child.once(event, () => {
          if (waiting.get(dir) === supervisor) waiting.delete(dir);
        });
    },
    take,
    dismiss: (dir) => take(dir)?.dismiss(),
  };
}
