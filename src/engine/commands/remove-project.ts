import type { Actor } from "../../core/task/event.ts";
import { UserError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../ports.ts";
import { failUnknownProject } from "./require-project.ts";

/** Keeps the project's tasks, ledger and costs. */
export async function removeProject(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  name: string,
  actor: Actor,
): Promise<void> {
  const removal = await store.projects.removeProject(name, {
    at: clock.now(),
    task: null,
    run: null,
    type: "project.removed",
    level: "info",
    actor,
    summary: `project ${name} removed`,
    data: { project: name },
  });
  switch (removal.kind) {
    case "removed":
      return;
    case "unknown":
      return await failUnknownProject(store, name);
    case "in_use":
      throw new UserError("conflict", `"${name}" has unfinished tasks, such as ${removal.task}.`, "Cancel them first.");
  }
}
