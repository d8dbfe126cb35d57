import type { Task } from "../../core/task/task.ts";
import { policyOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";

/** With `unpublished: remove`, abandoned work is not kept for anyone, so work that contained a secret is deleted. */
export async function hadSecrets(ports: Pick<EnginePorts, "store" | "projects">, task: Task): Promise<boolean> {
  if ((await policyOf(ports, task)).unpublished === "keep") return false;
  const checks = await ports.store.tasks.listChecks(task.id);
  return checks.some(({ name, severity }) => name === "no-secrets" && severity === "error");
}
