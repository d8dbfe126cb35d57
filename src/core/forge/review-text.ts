import type { AddedLines } from "../change/added-lines.ts";
import { sortComments, type ReviewComment } from "../task/documents/review.ts";
import { shortHash } from "../text/short-hash.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { forgeText } from "./forge-text.ts";

/** A review as it is posted on a forge. Its texts are already safe. */
export interface ReviewDraft {
  /** Identifies the review, so that it is posted once. */
  readonly key: string;
  /** The commit that was reviewed, as the forge knows it. */
  readonly commit: string;
  /** Markdown. */
  readonly body: string;
  readonly comments: readonly LineComment[];
}

/** A comment on a line that the change adds. */
export interface LineComment {
  readonly file: string;
  readonly line: number;
  readonly body: string;
}

const MARK = "<!-- nightshift-review:";

/** Invisible on a page. Each posted text starts with one, so that it is found again and not taken for a person's. */
export function reviewMark(key: string, part = ""): string {
  return `${MARK}${key}${part === "" ? "" : `:${part}`} -->`;
}

export function isOwnReview(body: string): boolean {
  return body.startsWith(MARK);
}

interface ReviewText {
  readonly key: string;
  readonly commit: string;
  readonly verdict: "approved" | "changes_requested";
  readonly summary: string;
  readonly comments: readonly ReviewComment[];
  readonly addedLines: AddedLines;
  /** A person read it before it was posted. */
  readonly isConfirmed?: boolean;
  /** The person who wrote it. Null or missing: an agent. */
  readonly by?: string | null;
}

/**
 * Writes a review for the page of a change request. Only lines that the change adds can have a comment of their own;
 * all other comments are part of the text, also those about files that do not exist.
 */
export function draftReview(review: ReviewText): ReviewDraft {
  const { key, commit, summary, comments, addedLines, by = null } = review;
  const sorted = sortComments(comments);
  const isOnLine = ({ file, line }: ReviewComment): boolean =>
    file !== undefined && line !== undefined && addedLines.get(file)?.has(line) === true;
  const author = by === null ? "AI agent" : nameText(by);
  const body = [
    describeAuthor(review),
    forgeText(summary),
    listComments(sorted.filter((each) => !isOnLine(each)).map(toListed)),
  ];
  return {
    key,
    commit,
    body: body.filter((part) => part !== "").join("\n\n"),
    comments: sorted.filter(isOnLine).map((each) => ({
      file: each.file ?? "",
      line: each.line ?? 1,
      body: `**${each.severity}** (${author}): ${forgeText(each.comment)}`,
    })),
  };
}

function describeAuthor({ commit, verdict, isConfirmed = false, by = null }: ReviewText): string {
  const result = `${shortHash(commit)}: ${verdict === "approved" ? "no objections" : "changes requested"}.`;
  if (by !== null) return `**Review by ${nameText(by)}** in Nightshift of ${result} The agent works on it.`;
  const confirmation = isConfirmed ? "A person read it before it was posted." : "No person has confirmed it.";
  return `**Review by an AI agent** of ${result} ${confirmation}`;
}

const MAX_NAME = 60;

function nameText(name: string): string {
  return forgeText(terminalLine(name, MAX_NAME)).replaceAll(/[*_`]/g, "");
}

interface ListedComment {
  readonly place: string;
  readonly body: string;
}

function toListed({ file, line, severity, comment }: ReviewComment): ListedComment {
  const place = file === undefined ? "" : line === undefined ? file : `${file}:${line}`;
  return { place, body: `**${severity}**: ${forgeText(comment)}` };
}

/** For line comments that the forge did not accept. */
export function withListedComments(body: string, comments: readonly LineComment[]): string {
  const listed = comments.map(({ file, line, body: text }) => ({ place: `${file}:${line}`, body: text }));
  return [body, listComments(listed)].filter((part) => part !== "").join("\n\n");
}

function listComments(comments: readonly ListedComment[]): string {
  return comments
    .map(({ place, body }) => `- ${place === "" ? "" : `\`${codeText(place)}\` `}${body.replaceAll("\n", "\n  ")}`)
    .join("\n");
}

const MAX_PLACE = 200;

/** Nothing can end the code span. */
function codeText(text: string): string {
  return terminalLine(text, MAX_PLACE).replaceAll("`", "'");
}
