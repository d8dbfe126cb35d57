import type { FileChange } from "../../core/change/file-change.ts";
import type { AppliedChange, AppliedFile, ApplyParams, Checkouts } from "../../ports/checkout.ts";
import { inspectDirectories, makeDirectories, removePlaceholders } from "./directories.ts";
import { compareFile, refuseFile, refusePlace } from "./compare-file.ts";
import { writeFileChange } from "./write-file.ts";

export function createCheckouts(): Checkouts {
  return { apply, inspect: inspectDirectories, makeDirectories, removePlaceholders };
}

interface PlannedFile extends AppliedFile {
  readonly source: FileChange;
  /** `file`: it cannot be written anywhere, so `force` leaves it out. `place`: `force` does not help. */
  readonly refusal: "file" | "place" | "changed" | null;
}

async function apply({ root, changes, force, dryRun }: ApplyParams): Promise<AppliedChange> {
  const planned: PlannedFile[] = [];
  const deleted = new Set(
    changes.flatMap((each) => (each.after === null && refuseFile(each) === null ? [each.path] : [])),
  );
  for (const change of changes) planned.push(await planFile(root, change, { force, deleted }));
  const isBlocked = planned.some(({ refusal }) => refusal !== null && (refusal === "place" || !force));
  const mayWrite = !isBlocked && !dryRun;
  const written = planned.filter(({ change, refusal }) => change !== "unchanged" && refusal === null);
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
  const file = { path: source.path, change: changeOf(source), source };
  const unwritable = refuseFile(source);
  if (unwritable !== null) return { ...file, problem: unwritable, refusal: "file" };
  const refused = await refusePlace(root, source, deleted);
  if (refused !== null) return { ...file, problem: refused, refusal: "place" };
  const found = await compareFile(root, source);
  if (found === "after") return { ...file, change: "unchanged", problem: null, refusal: null };
  if (found === "other" && !force)
    return { ...file, problem: "was changed since the task started", refusal: "changed" };
  return { ...file, problem: null, refusal: null };
}

function changeOf({ before, after }: FileChange): AppliedFile["change"] {
  if (after === null) return "deleted";
  return before === null ? "created" : "modified";
}
