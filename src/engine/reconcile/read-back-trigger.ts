import { createPeriodicTask, type PeriodicTask } from "../periodic-task.ts";
import type { EnginePorts } from "../ports.ts";

export interface ReadBackTrigger extends PeriodicTask {
  /** The project's forge says that something happened there. */
  ask(project: string): void;
}

/** A busy project's forge calls for every word that somebody writes. */
const PAUSE_MS = 5_000;

/** However often it is asked for, one look is under way and one more is owed. */
export function createReadBackTrigger(
  ports: Pick<EnginePorts, "clock" | "log">,
  look: (projects: ReadonlySet<string>) => Promise<void>,
): ReadBackTrigger {
  const owed = new Set<string>();
  const chore = createPeriodicTask(
    ports,
    { name: "reading back what a forge told of", everyMs: PAUSE_MS },
    async () => {
      const projects = new Set(owed);
      owed.clear();
      await look(projects);
    },
  );
  return {
    ask(project) {
      owed.add(project);
      chore.begin();
    },
    begin() {
      if (owed.size > 0) chore.begin();
    },
    stop: chore.stop,
  };
}
