import type { TaskJson } from "../../../http/client/client.ts";

/** Formats commands to copy. Empty without commands. */
export function formatNextSteps(commands: readonly string[]): string {
  if (commands.length <= 1) return commands.map((command) => `Next: ${command}\n`).join("");
  return `Next:\n${commands.map((command) => `  ${command}\n`).join("")}`;
}

/**
 * The commands that help most in the current situation of a task. `review` shows its published branch with git; null if that is
 * not possible. The summary of a task that waits for a person says how to answer, so there are none for it.
 */
export function nextSteps(task: TaskJson, review: string | null): readonly string[] {
  switch (task.status) {
    case "queued":
    case "running":
      return [`nightshift display ${task.id} --follow`];
    case "paused":
      return [`nightshift resume ${task.id}`];
    case "waiting":
    case "cancelled":
      return [];
    case "succeeded":
      return afterSuccess(task, review);
    case "failed":
      return afterFailure(task);
  }
}

function afterSuccess(task: TaskJson, review: string | null): readonly string[] {
  const url = task.artifacts.findLast(({ type }) => type === "change_request")?.url ?? null;
  if (url !== null) return [url, `nightshift diff ${task.id}`];
  // Merging removes the branch, so git cannot show it any more.
  if (isPublished(task))
    return [`nightshift diff ${task.id}`, ...(review === null || task.outcome === "merged" ? [] : [review])];
  if (task.state === "no_improvement") return [`nightshift display ${task.id}`];
  const hasFiles = task.artifacts.some(({ type }) => type === "diff");
  return [`nightshift results ${task.id}`, ...(hasFiles ? [`nightshift apply ${task.id}`] : [])];
}

/** The outcome says what is wrong with the change. Its agent has to work on it again, so a retry starts there. */
function isAboutChange({ outcome }: TaskJson): boolean {
  switch (outcome) {
    case "checks_failed":
    case "policy_failed":
    case "verify_failed":
      return true;
    default:
      return false;
  }
}

function afterFailure(task: TaskJson): readonly string[] {
  const { id, outcome } = task;
  if (outcome === "sandbox_refused") return ["nightshift doctor"];
  const work = task.runs.findLast(({ step, commit }) => step === "agent" && commit !== null);
  if (work !== undefined && isAboutChange(task) && task.category === null)
    return [`nightshift diff ${id}`, `nightshift retry ${id} --from ${work.state} --wait`];
  return [
    task.runs.some(({ step }) => step === "agent") ? `nightshift display ${id}` : `nightshift show ${id}`,
    `nightshift retry ${id} --wait`,
  ];
}

export function isPublished({ artifacts }: Pick<TaskJson, "artifacts">): boolean {
  return artifacts.some(({ type }) => type === "branch");
}
