import { UserError } from "../../core/text/errors.ts";
import { assumeDefaults } from "../commands/answer.ts";
import type { EnginePorts } from "../ports.ts";

const MAX_TASKS = 100;

/** Continues tasks whose questions passed their deadline without an answer. */
export async function answerOverdue(ports: EnginePorts): Promise<void> {
  for (const id of await ports.store.tasks.listOverdue(ports.clock.now(), MAX_TASKS))
    try {
      await assumeDefaults(ports, id);
    } catch (error) {
      // A person answered or ended the task at the same moment. An error in one task must not affect the others.
      if (!(error instanceof UserError)) throw error;
      ports.log.warn("the default answers could not be used", { task: id, error: error.message });
    }
}
