import type { FileSide } from "../../core/change/file-change.ts";
import { isSource, type ChangedFile, type TextSide } from "./changed-file.ts";
import { severityOf, type DiffRules, type Finding } from "./finding.ts";

/** Reports everything that is not a text file of reasonable size, because it cannot be reviewed. */
export function checkKinds(files: readonly ChangedFile[], rules: DiffRules): Finding[] {
  return files.flatMap((file) => [
    ...checkSubmodule(file, rules),
    ...checkLink(file),
    ...checkMode(file),
    ...checkFileSize(file, rules),
    ...checkBinary(file, rules),
    ...checkConflictMarkers(file),
  ]);
}

function checkSubmodule({ path, change }: ChangedFile, rules: DiffRules): Finding[] {
  const { before, after } = change;
  if (before?.kind !== "submodule" && after?.kind !== "submodule") return [];
  const what =
    before?.kind !== "submodule"
      ? "is a new submodule"
      : after === null
        ? "was a submodule and was removed"
        : "is a submodule at a different commit now";
  const message = `This path ${what}. Its code is in another repository and not part of this diff. Leave submodules unchanged.`;
  return [{ rule: "submodule", severity: severityOf(rules.submodules), path, line: null, message }];
}

function checkLink({ path, change }: ChangedFile): Finding[] {
  const { before, after } = change;
  if (after?.kind !== "link") {
    if (before?.kind !== "link") return [];
    const message = after === null ? "A link was removed." : "A link was replaced by a file.";
    return [{ rule: "link", severity: "note", path, line: null, message }];
  }
  const target = textOf(after);
  if (target === null || leavesRepository(path, target)) {
    const where = target === null ? "to a target that is too long to read" : `to "${target}", outside the repository`;
    const message = `This link leads ${where}. Links may only use relative paths to files in the repository.`;
    return [{ rule: "link", severity: "error", path, line: 1, message }];
  }
  const message = `This is ${before === null ? "a new link" : "a link now"} to "${target}". Explain why a link is needed, or use a file.`;
  return [{ rule: "link", severity: "warning", path, line: 1, message }];
}

function textOf(side: FileSide): string | null {
  return side.content === null ? null : new TextDecoder().decode(side.content);
}

/** Checks the text alone: links to links are checked where they are. The repository's git directory counts as outside. */
function leavesRepository(path: string, target: string): boolean {
  if (target === "" || /^([/\\~]|[A-Za-z]:)/.test(target) || target.includes("\0")) return true;
  const place = path.split("/").slice(0, -1);
  for (const part of target.split(/[/\\]/)) {
    if (part === "..") {
      if (place.pop() === undefined) return true;
    } else if (part !== "." && part !== "") place.push(part);
  }
  return place.some((part) => part.toLowerCase() === ".git");
}

function checkMode({ path, change }: ChangedFile): Finding[] {
  const { before, after } = change;
  if (after?.kind !== "executable" || before?.kind === "executable") return [];
  const what = before === null ? "This new file is executable." : "This file was made executable.";
  return [{ rule: "mode", severity: "note", path, line: null, message: what }];
}

function checkFileSize({ path, change }: ChangedFile, rules: DiffRules): Finding[] {
  const unread = [change.after, change.before].find(
    (side) => side && side.kind !== "submodule" && side.content === null,
  );
  if (!unread) return [];
  const gone = change.after === null;
  const size = `${unread.bytes.toLocaleString("en-US")} bytes`;
  const limit =
    unread.bytes > rules.maxFileBytes
      ? `files may have at most ${rules.maxFileBytes.toLocaleString("en-US")}`
      : "the whole change is too large to read";
  const message = gone
    ? `A file of ${size} was deleted without being checked.`
    : `A file of ${size} cannot be checked: ${limit}. Leave it out or make it smaller.`;
  return [{ rule: "huge_file", severity: gone ? "warning" : "error", path, line: null, message }];
}

function checkBinary({ path, before, after }: ChangedFile, rules: DiffRules): Finding[] {
  if (!after?.binary) return [];
  if (isSource(path)) {
    const message =
      "This file should be text but contains NUL or control bytes, which hide it from reviews. Write it as plain text.";
    return [{ rule: "binary_file", severity: "error", path, line: lineOfOddByte(after.text), message }];
  }
  const what = before === null ? "A binary file was added" : "A binary file was changed";
  const message = `${what}, which cannot be reviewed. Leave it out unless the task asks for it.`;
  return [{ rule: "binary_file", severity: severityOf(rules.binaryFiles), path, line: null, message }];
}

function lineOfOddByte(text: string): number | null {
  const place = text.search(/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/);
  return place < 0 ? null : text.slice(0, place).split("\n").length;
}

/** Both ends of a conflict, as git writes them. The line in between also underlines headings in Markdown. */
const CONFLICT_START = /^<{7} /m;
const CONFLICT_END = /^>{7} /m;

function checkConflictMarkers({ path, before, after }: ChangedFile): Finding[] {
  if (after === null || !hasConflict(after) || (before !== null && hasConflict(before))) return [];
  const line = after.lines.findIndex((each) => CONFLICT_START.test(each)) + 1;
  const message = "This file contains git's conflict markers. Resolve the conflict and remove them.";
  return [{ rule: "conflict_marker", severity: "error", path, line, message }];
}

function hasConflict({ text }: TextSide): boolean {
  return CONFLICT_START.test(text) && CONFLICT_END.test(text);
}
