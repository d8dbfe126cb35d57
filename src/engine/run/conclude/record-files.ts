import { combineChanges, toArtifact, type FileChange } from "../../../core/task/file-change.ts";
import type { Role } from "../../../core/task/role.ts";
import type { Artifact } from "../../../core/task/task.ts";
import type { DirectoryChanges, RecordedDirectory } from "../../../ports/file-record.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";
import type { StepContext, StepResult } from "../step-context.ts";
import type { CollectedWork } from "./collect-work.ts";

/** `files.json` has all of them. More would make the task too large to show. */
const MAX_ARTIFACTS = 500;

/** Records the directories that the executor of a plan may write, before it starts. */
export async function startFileRecord(context: StepContext, role: Role, workspace: Workspace): Promise<void> {
  if (role !== "execute") return;
  const { ports, run } = context;
  await ports.fileRecord.start(ports.runFiles.recordDir(run.id), listRecordedDirectories(context, workspace));
}

function listRecordedDirectories(context: StepContext, { path }: Workspace): readonly RecordedDirectory[] {
  const granted = grantFor(context, "execute");
  const inside = granted.workspace === "write" ? [""] : granted.inWorkspace;
  return withoutNested([
    ...inside.map((name) => ({ path: name === "" ? path : `${path}/${name}`, name })),
    ...granted.write.map((name) => ({ path: name, name })),
  ]);
}

/** The record of a directory contains everything below it. */
function withoutNested(directories: readonly RecordedDirectory[]): readonly RecordedDirectory[] {
  return directories.filter(
    ({ path }, index) =>
      !directories.some((other, at) => path.startsWith(`${other.path}/`) || (path === other.path && at < index)),
  );
}

export interface RecordedFiles {
  readonly artifacts: readonly Artifact[];
  /** Artifacts of earlier runs that no longer apply. */
  readonly removedArtifacts: StepResult["removedArtifacts"];
  /** What could not be recorded, a sentence each. */
  readonly failures: readonly string[];
  /** Names of the directories outside of a workspace in which files were created or modified. */
  readonly written: readonly string[];
}

const NOT_RECORDED: RecordedFiles = { artifacts: [], removedArtifacts: [], failures: [], written: [] };

/**
 * Finds out what the executor changed, and keeps it in `files.json`. A failure is reported, but the work still counts.
 * `collected` is null for a task that works in place.
 */
export async function finishFileRecord(
  context: StepContext,
  role: Role,
  collected: CollectedWork | null,
): Promise<RecordedFiles> {
  if (role !== "execute") return NOT_RECORDED;
  const { ports, run, task } = context;
  try {
    const directories = await ports.fileRecord.finish(ports.runFiles.recordDir(run.id));
    if (directories === null) return NOT_RECORDED;
    const failures = directories.flatMap(describeProblems);
    const found = directories.flatMap((each) => listChanges(each, collected));
    const earlier = await ports.store.tasks.listArtifacts(task.id);
    const combined = combineChanges(earlier, found);
    const files = combined.files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
    await ports.runFiles.keepFileChanges(run.id, ports.secrets.redact({ files, problems: failures }));
    const cut = files.length - MAX_ARTIFACTS;
    const more = cut > 0 ? [`${cut} more changed files are only listed in runs/${run.id}/files.json.`] : [];
    return {
      artifacts: files.slice(0, MAX_ARTIFACTS).map(toArtifact),
      removedArtifacts: combined.undone.map((label) => ({ type: "file", label })),
      failures: [...failures, ...more],
      written: directories.filter((each) => isWrittenDirectly(each, collected)).map(({ name }) => name),
    };
  } catch (error) {
    ports.log.warn("the changed files could not be recorded", { run: run.id, error: String(error) });
    const message = error instanceof Error ? error.message : String(error);
    return { ...NOT_RECORDED, failures: [`The changed files could not be recorded: ${message}`] };
  }
}

function isWrittenDirectly({ name, changes }: DirectoryChanges, collected: CollectedWork | null): boolean {
  if (collected !== null && !name.startsWith("/")) return false;
  return changes !== null && changes.created.length + changes.modified.length > 0;
}

function listChanges({ name, changes }: DirectoryChanges, collected: CollectedWork | null): readonly FileChange[] {
  if (changes === null) return [];
  const isOutside = name.startsWith("/");
  // The files of the workspace were thrown away.
  if (!isOutside && collected?.isDiscarded === true) return [];
  const { created, modified, deleted } = changes;
  return [
    ...created.map(({ path, after }) => ({ path, change: "created" as const, state: after })),
    ...modified.map(({ path, after }) => ({ path, change: "modified" as const, state: after })),
    ...deleted.map(({ path, before }) => ({ path, change: "deleted" as const, state: before })),
  ]
    .map(({ path, change, state: { kind, size, sha256 } }) => {
      const full = name === "" ? path : `${name}/${path}`;
      return {
        path: full,
        change,
        kind,
        size,
        sha256,
        applies: !isOutside && collected?.changedPaths.has(full) === true,
      };
    })
    .filter(({ path }) => !path.startsWith(".git/"));
}

function describeProblems({ name, changes, problem }: DirectoryChanges): readonly string[] {
  const directory = name === "" ? "the workspace" : name;
  if (problem !== null) return [`The changed files in ${directory} are unknown: ${problem}`];
  return (changes?.unread ?? []).map(
    ({ path, why }) => `The changed files in ${name === "" ? "" : `${name}/`}${path} are unknown, because it ${why}.`,
  );
}
