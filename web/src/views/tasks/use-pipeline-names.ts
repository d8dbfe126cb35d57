/** The pipelines that tasks can have. */
export function usePipelineNames(): readonly string[] {
  return ["staged", "feature", "bug", "chore", "improve", "review"];
}
