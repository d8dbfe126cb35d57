/**
 * Named points between two steps where a crash must do no harm. The engine reports each one it passes. Only the crash tests
 * listen: they kill the process there.
 */
export const CHECKPOINTS = [
  "submit.committed",
  "comments.committed",
  "run.taken",
  "workspace.synced",
  "workspace.opened",
  "prompt.written",
  "supervisor.started",
  "supervisor.ended",
  "outcome.read",
  "work.collected",
  "review.posted",
  "checks.started",
  "checks.ended",
  "branch.pushed",
  "request.opened",
  "change.merged",
  "step.done",
  "step.committed",
  "cleanup.done",
  "notice.sent",
] as const;

export type Checkpoint = (typeof CHECKPOINTS)[number];
export type PassCheckpoint = (checkpoint: Checkpoint) => void;
