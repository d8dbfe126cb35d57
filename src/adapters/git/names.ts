import { createHash } from "node:crypto";
import { UserError } from "../../core/text/errors.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";

/** Returns a readable file name for a project that is unique on any file system. */
export function mirrorName(project: string): string {
  const slug = project
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-|-$/g, "");
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 12);
  return `${slug || "project"}-${hash}.git`;
}

/** Names of tasks and checkouts are used as directories and in ref names, so they must be the plain ids that the engine makes. */
export function checkName(name: string): string {
  const plain = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(name) && !/\.\.|\.$|\.lock$/.test(name);
  if (plain && name.toLowerCase() !== "engine.git") return name;
  throw new UserError(
    "invalid",
    `"${name}" cannot be the name of a task or tree.`,
    "Use letters, digits, dots, dashes and underscores.",
  );
}

export function checkCommit(commit: string): string {
  if (/^[0-9a-f]{40}$/.test(commit)) return commit;
  throw new UserError("invalid", `"${commit}" is not a full commit id.`, "Give its 40 hexadecimal digits.");
}

/**
 * Implements the rules of `git check-ref-format --branch` without starting git. Also refuses what a shell or a terminal would
 * interpret, because people and agents copy branch names into commands.
 */
export function checkBranch(branch: string): string {
  const forbidden = new RegExp(
    [
      String.raw`[\x00-\x20\x7f~^:?*[\\]`,
      String.raw`\.\.|//|@\{`,
      String.raw`^[-/]|/$|\.$`,
      String.raw`(^|/)\.`,
      String.raw`\.lock(/|$)`,
      "[$`\"';&|<>(){}!]",
    ].join("|"),
  );
  const isPlain = !forbidden.test(branch) && terminalText(branch) === branch;
  if (branch !== "" && branch !== "@" && branch !== "HEAD" && isPlain) return branch;
  throw new UserError(
    "invalid",
    `"${terminalText(branch)}" cannot be the name of a branch.`,
    "Use letters, digits and the characters - _ . / + = @ # % and comma. `git help check-ref-format` lists the rules of git.",
  );
}

export function checkRemote(remote: string): string {
  if (remote !== "" && !remote.startsWith("-") && !remote.includes("\0") && !remote.includes("\n")) return remote;
  throw new UserError(
    "invalid",
    `"${withoutCredentials(remote)}" is not a remote.`,
    "Give a URL or an absolute path that git can fetch from.",
  );
}

/**
 * Whether git on any system would take a part of this path for a git directory: `.git` in any case, with invisible
 * characters (macOS) or with short names, streams and trailing dots (Windows). Forges reject such commits. The path has one
 * character per byte.
 */
export function containsGitDirectory(path: string): boolean {
  return path.split("/").some((part) => {
    const name = Buffer.from(part, "latin1")
      .toString()
      .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
      .toLowerCase();
    return /^(\.git|git~1)[. ]*(:.*)?$/.test(name);
  });
}
