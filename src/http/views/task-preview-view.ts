import { WAIT_KINDS } from "../../core/pipeline/pipeline.ts";
import type { DraftPreview, PreviewStep } from "../../engine/commands/preview-draft.ts";
import type { TaskPreviewJson } from "../contract/task-preview.ts";

export function viewTaskPreview(preview: DraftPreview): TaskPreviewJson {
  return {
    steps: preview.steps.map(viewStep),
    max_usd: preview.maxUsd,
    task_timeout_ms: preview.taskTimeoutMs,
    forge: preview.forge,
    is_held: preview.isHeld,
    problems: preview.problems.map(({ key, message }) => ({ key, message })),
  };
}

function viewStep(step: PreviewStep): TaskPreviewJson["steps"][number] {
  return {
    state: step.state,
    kind: step.kind,
    role: step.role,
    waits_for: WAIT_KINDS.find((kind) => kind === step.waitsFor) ?? null,
    agents: step.agents.map(({ agent, model }) => ({ agent, model })),
    timeout_ms: step.timeoutMs,
    max_turns: step.maxTurns,
    max_usd: step.maxUsd,
    limits: step.limits.map(({ name, max }) => ({ name, max })),
    checks: [...step.checks],
    is_last: step.isLast,
  };
}
