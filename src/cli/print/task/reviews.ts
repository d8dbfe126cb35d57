import { shortHash } from "../../../core/text/short-hash.ts";
import { escapedLine, terminalText } from "../../../core/text/terminal-text.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import { indentText } from "../terminal/fit-text.ts";
import { formatMessage } from "../terminal/message.ts";
import { paint, type Screen, type Style } from "../terminal/style.ts";

type ReviewJson = TaskJson["reviews"][number];
type CommentJson = ReviewJson["comments"][number];

const SEVERITY_STYLES: Readonly<Record<CommentJson["severity"], Style>> = {
  critical: "red",
  suggestion: "yellow",
  nit: "dim",
};

/** A daemon of an older version sends no reviews. */
function reviewsOf(task: Partial<Pick<TaskJson, "reviews">>): readonly ReviewJson[] {
  return task.reviews ?? [];
}

/** All reviews of a task, oldest first, with the comments by file. Empty if there was none. */
export function describeReviews(screen: Screen, task: TaskJson): string {
  return reviewsOf(task)
    .map((review) => {
      const isApproved = review.verdict === "approved";
      const verdict = paint(screen, isApproved ? "green" : "yellow", isApproved ? "approved" : "changes requested");
      const author = review.by == null ? "" : ` by ${escapedLine(review.by)}`;
      const commit = review.commit === null ? "" : ` at ${shortHash(review.commit)}`;
      const outdated = review.is_current ? "" : " (the work changed since)";
      const summary = indentText(screen, formatMessage(review.summary), "    ");
      return `  ${verdict}${author}${commit}${outdated}\n${summary}\n${byFile(review.comments).map(describeFile(screen)).join("")}`;
    })
    .join("");
}

/** What a person at the merge gate must know: whether the commit to merge was approved. */
export function describeVerdict(task: Pick<TaskJson, "reviews">): string {
  const newest = reviewsOf(task).at(-1);
  if (newest === undefined) return "No review has approved this change.";
  if (!newest.is_current) return "The newest commit was not reviewed. Its last review was of an earlier commit.";
  return newest.verdict === "approved"
    ? "The review approved this commit."
    : `The review did not approve this commit: ${formatMessage(newest.summary)}`;
}

/** Comments about the change as a whole come first, under no file. */
function byFile(comments: readonly CommentJson[]): readonly (readonly [string | null, readonly CommentJson[]])[] {
  const files = [...new Set(comments.map(({ file }) => file))].toSorted(
    (a, b) => Number(a !== null) - Number(b !== null),
  );
  return files.map((file) => [
    file,
    comments.filter((each) => each.file === file).toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  ]);
}

function describeFile(screen: Screen) {
  return ([file, comments]: readonly [string | null, readonly CommentJson[]]): string => {
    const heading = file === null ? "" : `    ${paint(screen, "bold", escapedLine(file))}\n`;
    return heading + comments.map((comment) => describeComment(screen, comment)).join("");
  };
}

function describeComment(screen: Screen, { line, severity, comment, answer }: CommentJson): string {
  const place = line === null ? "" : `line ${line}, `;
  const label = `${place}${paint(screen, SEVERITY_STYLES[severity], severity)}: `;
  const reply =
    answer === null ? "" : `${indentText(screen, `→ ${terminalText(answer).trim()}`, "        ", "          ")}\n`;
  return `${indentText(screen, `${label}${terminalText(comment).trim()}`, "      ", "        ")}\n${reply}`;
}
