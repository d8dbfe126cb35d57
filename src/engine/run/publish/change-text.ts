import { describeTaskChange, type ChangeText } from "../../../core/nightly/describe-change.ts";
import { describeCheckStatus } from "../../../core/task/describe-check.ts";
import { loadChangeText } from "../../nightly/night-results.ts";
import type { StepContext } from "../step-context.ts";

/** Commit message of the finished change, and the text of its change request. */
export async function describeWork(context: StepContext): Promise<ChangeText> {
  return context.pipeline.policy.publish.text === "described" ? loadChangeText(context) : taskChange(context);
}

async function taskChange({ ports, task, settings }: StepContext): Promise<ChangeText> {
  const checks = await ports.store.tasks.listChecks(task.id);
  const newest = checks.filter(({ run }) => run === checks.at(-1)?.run);
  return describeTaskChange({
    title: task.title,
    description: task.description,
    summary: task.context.findLast(({ kind }) => kind === "implementation_summary")?.text ?? "",
    checks: newest.map((check) => `${check.name}: ${describeCheckStatus(check)}`),
    trailer: settings.commitTrailer,
  });
}
