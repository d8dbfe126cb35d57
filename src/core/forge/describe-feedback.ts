import { excerptOutput } from "../check-output/excerpt-output.ts";

interface Comment {
  readonly author: string;
  readonly body: string;
  readonly file: string | null;
  readonly line: number | null;
}

interface Failure {
  readonly name: string;
  readonly summary: string;
  readonly log: string | null;
}

const MAX_COMMENTS = 50;
const MAX_COMMENT = 2_000;
const MAX_FAILURES = 5;
const MAX_SUMMARY = 2_000;
const MAX_LOG = 6_000;

/** The comments as text for a prompt, one paragraph each. */
export function describeForgeComments(comments: readonly Comment[]): string {
  const more = comments.length - MAX_COMMENTS;
  return [
    ...comments.slice(0, MAX_COMMENTS).map(describeComment),
    ...(more > 0 ? [`(${more} more comments are left out)`] : []),
  ].join("\n\n");
}

function describeComment({ author, body, file, line }: Comment): string {
  const place = file === null ? "" : ` on ${file}${line === null ? "" : `:${line}`}`;
  return `${author}${place}:\n${cut(body.trim(), MAX_COMMENT)}`;
}

/** The failed jobs with the relevant part of their logs, for a prompt. */
export function describeCiFailures(failures: readonly Failure[]): string {
  const more = failures.length - MAX_FAILURES;
  return [
    ...failures.slice(0, MAX_FAILURES).map(describeFailure),
    ...(more > 0 ? [`(${more} more failed jobs are left out)`] : []),
  ].join("\n\n");
}

function describeFailure({ name, summary, log }: Failure): string {
  const parts = [cut(summary.trim(), MAX_SUMMARY), log === null ? "" : excerptOutput(log, MAX_LOG)];
  return [`Failed: ${name}`, ...parts.filter((part) => part !== "")].join("\n");
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
