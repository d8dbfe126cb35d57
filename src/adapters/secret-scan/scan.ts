import type { FileChange } from "../../core/change/file-change.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { Log } from "../../ports/log.ts";
import type { SecretFinding, SecretScan } from "../../ports/secret-scan.ts";
import { createKeyedLock } from "../git/mirror/locks.ts";
import { createScanProcess, type ProgramAnswer } from "./scan-process.ts";

export interface SecretScanOptions {
  /** All values that must not leave, read for each scan. */
  readonly secrets: () => readonly Secret[];
  /** PATH on which gitleaks is searched. */
  readonly path: string;
  readonly log: Log;
  /** Replaces the timeout that depends on the size of the change. */
  readonly timeoutMs?: number;
}

const MIN_TIMEOUT_MS = 30_000;
const MS_PER_BYTE = 10_000 / 5_000_000;
const MAX_TIMEOUT_MS = 120_000;

/**
 * Scans in a separate process: the rules need more memory than the daemon may use, and a text that makes a rule run forever
 * can be stopped from outside.
 */
export function createSecretScan({ secrets, path, log, timeoutMs: fixedMs }: SecretScanOptions): SecretScan {
  const inTurn = createKeyedLock();
  const askProgram = createScanProcess();
  return {
    async scan(changes) {
      const known = secrets();
      const { redact } = createRedactor(known);
      const timeoutMs = fixedMs ?? timeFor(changes);
      const answers = await inTurn("", () => askProgram(changes, { secrets: known, path, timeoutMs }));
      for (const { note } of answers) if (note !== undefined) log.warn(redact(note));
      const findings = [...answers.flatMap((answer) => answer.findings ?? []), ...reportUnscanned(changes, answers)];
      return keepBestPerLine(findings).map((finding) => ({ ...finding, path: redact(finding.path) }));
    },
  };
}

function timeFor(changes: readonly FileChange[]): number {
  const bytes = changes.reduce((sum, { after }) => sum + (after?.content?.length ?? 0), 0);
  return Math.min(MIN_TIMEOUT_MS + bytes * MS_PER_BYTE, MAX_TIMEOUT_MS);
}

/** Files that were not scanned are reported, so that a change cannot pass by exhausting the scan. */
function reportUnscanned(changes: readonly FileChange[], answers: readonly ProgramAnswer[]): readonly SecretFinding[] {
  if (answers.some(({ isEnd }) => isEnd === true)) return [];
  const done = new Set(answers.map((answer) => answer.done));
  const left = changes.filter((_, index) => !done.has(index));
  const [first] = left;
  if (first === undefined) return [];
  const others = left.length === 1 ? "" : ` ${left.length - 1} more files were not scanned.`;
  const message = `The secret scan exceeded its time or memory limit at this file. Make it smaller or simpler.${others}`;
  return [{ path: first.path, line: null, rule: "not-scanned", severity: "error", message }];
}

/** Keeps the most reliable finding of each line. */
function keepBestPerLine(findings: readonly SecretFinding[]): readonly SecretFinding[] {
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
