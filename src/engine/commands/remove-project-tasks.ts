import type { Actor } from "../../core/task/event.ts";
import { OPEN_STATUSES } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../ports.ts";
import { requireProject } from "./require/require-project.ts";
import { removeWithVariants } from "./variants/variant-commands.ts";

const PAGE = 100;

/** Deletes the tasks of a project one after the other. If it is interrupted, another call deletes the rest. */
export async function removeProjectTasks(ports: EnginePorts, name: string, actor: Actor): Promise<number> {
  const { store } = ports;
  await requireProject(store, name);
  const query = { state: null, project: name, cursor: null };
  const [open] = (await store.tasks.listTasks({ ...query, status: OPEN_STATUSES, limit: 1 })).rows;
  if (open !== undefined)
    throw new UserError("conflict", `"${name}" has unfinished tasks, such as ${open.id}.`, "Cancel them first.");
  for (let removed = 0; ;) {
    const { rows } = await store.tasks.listTasks({ ...query, status: null, limit: PAGE, variants: "hide" });
    if (rows.length === 0) return removed;
    for (const { id } of rows) await removeWithVariants(ports, id, actor);
    removed += rows.length;
  }
}
