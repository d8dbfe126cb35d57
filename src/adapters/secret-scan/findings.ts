import type { FileChange } from "../../core/change/file-change.ts";
import { createSecretMatcher } from "../../policy/secrets/match-secrets.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import { findPatterns, isPlaceholder, mask } from "../../policy/secrets/secret-patterns.ts";
import type { SecretFinding } from "../../ports/secret-scan.ts";
import type { GitleaksMatch } from "./gitleaks.ts";
import type { AddedText } from "./read-change.ts";

/** A finding of secretlint. */
export interface LintMatch {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly kind: string;
}

export function fromKnown(
  known: readonly Secret[],
  changes: readonly FileChange[],
  texts: readonly AddedText[],
): readonly SecretFinding[] {
  const [inText, inBytes] = [createSecretMatcher(known, "text"), createSecretMatcher(known, "bytes")];
  const inNames = changes
    .filter(({ before, after }) => before === null && after !== null)
    .flatMap(({ path }) => inText.find(path).map(({ name }) => knownSecret(path, null, name)));
  const inContents = texts.flatMap((added) =>
    (added.isBinary ? inBytes : inText)
      .find(added.text)
      .filter(({ start, end }) => added.isAdded(start, end))
      .map(({ start, name }) => knownSecret(added.path, added.lineAt(start), name)),
  );
  return [...inNames, ...inContents];
}

function knownSecret(path: string, line: number | null, name: string): SecretFinding {
  const place = line === null ? "The file name" : "The line";
  const message = `${place} contains the value of ${name}, plain or encoded. Read it from the environment instead.`;
  return { path, line, rule: "known-secret", severity: "error", message };
}

export function fromSecretlint(added: AddedText, found: readonly LintMatch[]): readonly SecretFinding[] {
  return found.flatMap(({ start, end, rule, kind }) => {
    const secret = added.text.slice(start, end);
    // In a URL only user, password and host can mark an example; the path and query cannot.
    const telling = /:\/\/[^\s/?#]*/.exec(secret)?.[0] ?? secret;
    if (!added.isAdded(start, end) || isPlaceholder(telling)) return [];
    const message = `This looks like a secret (${rule}, ${kind.toLowerCase()}): ${mask(secret)}. Remove it and read it from the environment.`;
    return [{ path: added.path, line: added.lineAt(start), rule: `secretlint/${rule}`, severity: "error", message }];
  });
}

export function fromPatterns(added: AddedText): readonly SecretFinding[] {
  // Random bytes match any pattern.
  if (added.isBinary) return [];
  return findPatterns(added.path, added.text)
    .filter(({ start, end }) => added.isAdded(start, end))
    .map(({ start, end, rule, what, severity }) => ({
      path: added.path,
      line: added.lineAt(start),
      rule: `pattern/${rule}`,
      severity,
      message: `This looks like ${what}: ${mask(added.text.slice(start, end))}.`,
    }));
}

export function fromGitleaks(
  added: AddedText | undefined,
  { line, columns: [first, last], rule }: GitleaksMatch,
): readonly SecretFinding[] {
  if (added === undefined) return [];
  const start = added.startOf(line);
  if (!added.isAdded(start, start) || isPlaceholder(added.text.slice(start + first - 1, start + last))) return [];
  // Its catch-all rule uses names and entropy, like ours, so it is only a warning.
  const severity = rule === "generic-api-key" ? "warning" : "error";
  return [
    {
      path: added.path,
      line,
      rule: `gitleaks/${rule}`,
      severity,
      message: `gitleaks reports this as a secret (${rule}).`,
    },
  ];
}

export function notRead({ path, after }: FileChange): readonly SecretFinding[] {
  if (after === null || after.content !== null || after.kind === "submodule") return [];
  const message = `The file has ${after.bytes} bytes, which is too large to scan for secrets. Leave it out or make it smaller.`;
  return [{ path, line: null, rule: "not-scanned", severity: "error", message }];
}
