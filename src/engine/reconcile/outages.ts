import { ForgeError, MachineError, RemoteError } from "../../core/text/errors.ts";
import { parkDelayMs } from "../../core/task/retry.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

/** A project whose forge or remote cannot be read at the moment. */
export interface Outage {
  readonly project: string;
  readonly reason: string;
  readonly since: number;
  /** When it is tried again. */
  readonly until: number;
}

/** Kept in memory, because a restarted daemon finds out by itself. */
export interface Outages {
  list(): readonly Outage[];
  isDown(project: string): boolean;
  /**
   * Reads a project. After a failure it is read again after 1, 2, 4 … 30 minutes, and that is logged once. `read` returns whether
   * it needed an answer of the forge or remote, which ends the outage.
   */
  read(project: Project, read: () => Promise<boolean>): Promise<void>;
}

export function createOutages({ clock, log, secrets }: Pick<EnginePorts, "clock" | "log" | "secrets">): Outages {
  const outages = new Map<string, Outage & { readonly times: number }>();

  function begin(project: string, error: unknown): void {
    const before = outages.get(project);
    const isOutage = error instanceof ForgeError || error instanceof RemoteError || error instanceof MachineError;
    if (before === undefined || !isOutage)
      log.warn("change requests could not be read back", { project, error: String(error) });
    if (!isOutage) return;
    const now = clock.now();
    const times = (before?.times ?? 0) + 1;
    const retryAt = error instanceof ForgeError ? error.retryAt : null;
    outages.set(project, {
      project,
      reason: secrets.redact(error.message),
      since: before?.since ?? now,
      until: retryAt ?? now + parkDelayMs(times),
      times,
    });
  }

  return {
    list: () => [...outages.values()].map(({ project, reason, since, until }) => ({ project, reason, since, until })),
    isDown: (project) => outages.has(project),
    async read({ name }, read) {
      if ((outages.get(name)?.until ?? 0) > clock.now()) return;
      try {
        if ((await read()) && outages.delete(name))
          log.info("change requests can be read back again", { project: name });
      } catch (error) {
        // An error in one project must not affect the others.
        begin(name, error);
      }
    },
  };
}
