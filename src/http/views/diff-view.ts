import type { Task } from "../../core/task/task.ts";
import type { TaskDiff } from "../../engine/report/read-diff.ts";
import type { DiffJson } from "../contract/diff.ts";

export function viewDiff(task: Task, diff: TaskDiff, since: string | null): DiffJson {
  const { run, patch, cut, files, findings, risk, readingMinutes, reviewedCommit } = diff;
  return {
    task: task.id,
    run,
    base_commit: task.baseCommit,
    head_commit: task.headCommit,
    since,
    reviewed_commit: reviewedCommit,
    patch,
    cut,
    files: [...files],
    findings: [...findings],
    risk: run === null ? null : { level: risk.level, reasons: [...risk.reasons] },
    reading_minutes: readingMinutes,
  };
}
