import type { FileChange } from "../../../core/change/file-change.ts";
import type { ChangedContents } from "../../../ports/file-record.ts";
import type { SecretFinding } from "../../../ports/secret-scan.ts";
import type { StepContext } from "../step-context.ts";

/** Larger files, and all that exceed the memory for one scan, are only reported. */
const LIMITS = { maxFileBytes: 5_000_000, maxBytes: 64_000_000 };

/** Searches files that were written directly. They are in no commit, so what an existing file had before is not known. */
export async function scanDirectories(
  context: StepContext,
  names: readonly string[],
): Promise<readonly SecretFinding[]> {
  const found: SecretFinding[] = [];
  for (const name of names) found.push(...(await scanDirectory(context, name)));
  return found;
}

/** The files cannot be taken back, so a scan that fails must not look like a clean one. */
async function scanDirectory({ ports, run }: StepContext, name: string): Promise<readonly SecretFinding[]> {
  try {
    const contents = await ports.fileRecord.readChanged(ports.runFiles.recordDir(run.id), name, LIMITS);
    const known = new Set(contents.filter(({ isNew }) => !isNew).map(({ path }) => fullPath(name, path)));
    const findings = await ports.secrets.scanner.scan(contents.map((file) => toChange(name, file)));
    return findings.map((each) =>
      known.has(each.path) ? { ...each, message: `${each.message} The file existed before the run.` } : each,
    );
  } catch (error) {
    ports.log.error("the files of a run could not be scanned for secrets", { run: run.id, error: String(error) });
    const message = "The secret scan could not run, so these files are unchecked.";
    return [{ path: name === "" ? "." : name, line: null, rule: "scan-failed", severity: "error", message }];
  }
}

function toChange(name: string, { path, kind, bytes, content }: ChangedContents[number]): FileChange {
  return {
    path: fullPath(name, path),
    before: null,
    after: { kind: kind === "link" ? "link" : "file", bytes, content },
  };
}

function fullPath(name: string, path: string): string {
  return name === "" ? path : `${name}/${path}`;
}
