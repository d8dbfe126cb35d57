import { createPeriodicTask, type PeriodicTask } from "../periodic-task.ts";
import type { EnginePorts } from "../ports.ts";

export interface ReadBackTrigger extends PeriodicTask {
  /** Requests a read-back, because the project's forge reported an event. */
  request(project: string): void;
}

/** Forges send many webhooks for a busy project. */
const MIN_INTERVAL_MS = 5_000;

/** However many requests arrive, at most one read-back runs and one more is pending. */
export function createReadBackTrigger(
  ports: Pick<EnginePorts, "clock" | "log">,
  readBack: (projects: ReadonlySet<string>) => Promise<void>,
): ReadBackTrigger {
  const requested = new Set<string>();
  const task = createPeriodicTask(
    ports,
    { name: "reading back after a webhook", everyMs: MIN_INTERVAL_MS },
    async () => {
      const projects = new Set(requested);
      requested.clear();
      await readBack(projects);
    },
  );
  return {
    request(project) {
      requested.add(project);
      task.startIfDue();
    },
    startIfDue() {
      if (requested.size > 0) task.startIfDue();
    },
    stop: task.stop,
  };
}
