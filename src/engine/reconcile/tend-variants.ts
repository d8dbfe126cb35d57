import { SYSTEM } from "../../core/task/event.ts";
import { OPEN_STATUSES, type Task } from "../../core/task/task.ts";
import { endVariant, tendVariants } from "../commands/variants/tend-variants.ts";
import type { EnginePorts } from "../ports.ts";
import { listAllTasks } from "../task-pages.ts";

/** Looks after all tasks that wait for their variants, and after all variants whose task no longer waits for them. */
export async function tendAllVariants(ports: EnginePorts): Promise<void> {
  const waiting = await listAllTasks(ports, { status: ["queued", "paused"], queuedFor: "variants" });
  const open = await listAllTasks(ports, { status: OPEN_STATUSES, variants: "only" });
  const ids = new Set([
    ...waiting.map(({ id }) => id),
    ...open.flatMap(({ options }) => options.variantOf?.task ?? []),
  ]);
  for (const id of ids) {
    const task = await ports.store.tasks.getTask(id);
    if (task !== null) await tendVariants(ports, task);
    else await endOrphans(ports, id, open);
  }
}

async function endOrphans(ports: EnginePorts, deleted: string, open: readonly Task[]): Promise<void> {
  for (const { id, options } of open)
    if (options.variantOf?.task === deleted) await endVariant(ports, id, "cancel", SYSTEM);
}
