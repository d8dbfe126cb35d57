import { schedulesOf } from "../../core/schedule/schedule.ts";
import type { Actor } from "../../core/task/event.ts";
import type { Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../ports.ts";
import type { ScheduleRunDraft } from "./commands-contract.ts";
import { draftScheduledTask } from "./draft-task.ts";
import { requireProject } from "./require-project.ts";
import { submit } from "./submit.ts";

/** Starts the work of a schedule now. Its regular times do not change. */
export async function runSchedule(
  ports: EnginePorts,
  { project, name, key }: ScheduleRunDraft,
  actor: Actor,
): Promise<Task> {
  const settings = await ports.projects.settings(await requireProject(ports.store, project));
  const schedules = schedulesOf(settings);
  const schedule = schedules.find((each) => each.name === name);
  if (schedule === undefined) {
    const known = schedules.map((each) => each.name).join(", ") || "none";
    throw new UserError(
      "not_found",
      `${project} has no schedule "${name}". It has: ${known}.`,
      "`nightshift schedule` lists them.",
    );
  }
  return submit(ports, { ...draftScheduledTask(project, schedule), key }, actor);
}
