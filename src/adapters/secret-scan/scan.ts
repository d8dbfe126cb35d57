import type { FileChange } from "../../core/change/file-change.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { Log } from "../../ports/log.ts";
import type { SecretFinding, SecretScan } from "../../ports/secret-scan.ts";
import { createKeyedLock } from "../git/mirror/locks.ts";
import { toFrames, type ProgramAnswer } from "./frames.ts";
import { createScanProcess } from "./scan-process.ts";

export interface SecretScanOptions {
  /** Every value that must not leave, asked for at each scan. */
  readonly secrets: () => readonly Secret[];
  /** Where gitleaks is looked for. */
  readonly path: string;
  readonly log: Log;
  /** Instead of a time that goes by how much there is to look at. */
  readonly timeoutMs?: number;
}

const LEAST_MS = 30_000;
const MS_PER_BYTE = 10_000 / 5_000_000;
const MOST_MS = 120_000;

/**
 * The looking is done by a program of its own: the rules take more memory than the daemon may spend, and a text that is
 * made to keep one of them busy for ever can be ended from outside.
 */
export function createSecretScan({ secrets, path, log, timeoutMs: fixedMs }: SecretScanOptions): SecretScan {
  const inTurn = createKeyedLock();
  const program = createScanProcess();
  return {
    async scan(changes) {
      const known = secrets();
      const { redact } = createRedactor(known);
      const timeoutMs = fixedMs ?? timeFor(changes);
      const answers = await inTurn("", () =>
        program.ask(toFrames(changes, { secrets: known, path, timeoutMs }), timeoutMs),
      );
      for (const { note } of answers) if (note !== undefined) log.warn(redact(note));
      const findings = [...answers.flatMap((answer) => answer.findings ?? []), ...unfinished(changes, answers)];
      return tidy(findings).map((finding) => ({ ...finding, path: redact(finding.path) }));
    },
  };
}

function timeFor(changes: readonly FileChange[]): number {
  const bytes = changes.reduce((sum, { after }) => sum + (after?.content?.length ?? 0), 0);
  return Math.min(LEAST_MS + bytes * MS_PER_BYTE, MOST_MS);
}

/** What it did not come to has not been looked at, and whoever made it so must not profit. */
function unfinished(changes: readonly FileChange[], answers: readonly ProgramAnswer[]): readonly SecretFinding[] {
  if (answers.some(({ isEnd }) => isEnd === true)) return [];
  const done = new Set(answers.map((answer) => answer.done));
  const left = changes.filter((_, index) => !done.has(index));
  const [first] = left;
  if (first === undefined) return [];
  const others = left.length === 1 ? "" : ` ${left.length - 1} more files were not looked at.`;
  const message = `The scan for secrets could not finish this file in the time and memory it has; make it smaller or simpler.${others}`;
  return [{ path: first.path, line: null, rule: "not-scanned", severity: "error", message }];
}

/** One finding for each line is enough, and it is the most certain one. */
function tidy(findings: readonly SecretFinding[]): readonly SecretFinding[] {
  const best = new Map<string, SecretFinding>();
  for (const finding of findings) {
    const place = `${finding.line ?? finding.rule}\0${finding.path}`;
    const known = best.get(place);
    if (known === undefined || (known.severity === "warning" && finding.severity === "error")) best.set(place, finding);
  }
  return [...best.values()].toSorted((a, b) => compare(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
