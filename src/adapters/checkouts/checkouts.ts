import type { FileChange } from "../../core/change/file-change.ts";
import type { AppliedChange, AppliedFile, ApplyParams, Checkouts } from "../../ports/checkout.ts";
import { inspectDirectories, makeDirectories, removePlaceholders } from "./directories.ts";
import { compareFile, refuseFile } from "./compare-file.ts";
import { writeFileChange } from "./write-file.ts";

export function createCheckouts(): Checkouts {
  return { apply, inspect: inspectDirectories, makeDirectories, removePlaceholders };
}

interface PlannedFile extends AppliedFile {
  readonly source: FileChange;
  /** It cannot be written safely, so `force` does not help. */
  readonly isRefused: boolean;
}

async function apply({ root, changes, force, dryRun }: ApplyParams): Promise<AppliedChange> {
  const planned: PlannedFile[] = [];
  const deleted = new Set(changes.flatMap(({ path, after }) => (after === null ? [path] : [])));
  for (const change of changes) planned.push(await planFile(root, change, { force, deleted }));
  const isBlocked = planned.some(({ problem, isRefused }) => problem !== null && (isRefused || !force));
  const mayWrite = !isBlocked && !dryRun;
  const written = planned.filter(({ change }) => change !== "unchanged");
  const deletionsFirst = written.toSorted((a, b) => Number(a.source.after !== null) - Number(b.source.after !== null));
  if (mayWrite) for (const { source } of deletionsFirst) await writeFileChange(root, source);
  return {
    applied: mayWrite,
    files: planned.map(({ path, change, problem }) => ({ path, change, problem })),
  };
}

interface PlanParams {
  readonly force: boolean;
  readonly deleted: ReadonlySet<string>;
}

async function planFile(root: string, source: FileChange, { force, deleted }: PlanParams): Promise<PlannedFile> {
  const { path } = source;
  const refused = await refuseFile(root, source, deleted);
  if (refused !== null) return { path, change: changeOf(source), problem: refused, source, isRefused: true };
  const found = await compareFile(root, source);
  const problem = found === "other" && !force ? "was changed since the task started" : null;
  return { path, change: found === "after" ? "unchanged" : changeOf(source), problem, source, isRefused: false };
}

function changeOf({ before, after }: FileChange): AppliedFile["change"] {
  if (after === null) return "deleted";
  return before === null ? "created" : "modified";
}
