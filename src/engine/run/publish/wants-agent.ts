import type { StepContext } from "../step-context.ts";

/** Only where the pipeline leaves it to the setting, and there is a forge whose token the agent can be given. */
export function wantsAgent({ pipeline, settings }: Pick<StepContext, "pipeline" | "settings">): boolean {
  const isUpToSetting = pipeline.policy.publish.by === "improve.publish";
  return isUpToSetting && settings.forge !== null && settings.improve.publish === "agent";
}
