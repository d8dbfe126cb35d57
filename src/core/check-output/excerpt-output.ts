import { failedTests, findFailures, type Failure } from "./find-failures.ts";

const MAX_NAMES = 50;
const MAX_ERROR_LINES = 20;
/** A line that probably says what went wrong, for programs whose format is unknown. */
const ERROR_LINE = /\b(?:error|errors|failed|failure|fatal|exception|panic|cannot|undefined|traceback)\b/i;

/**
 * Shortens the output of a failed check to its relevant part: the names of the failed tests first, then what is printed about
 * each failure, then the end of the output. Output that fits is kept as it is, below the names.
 */
export function excerptOutput(output: string, maxLength: number): string {
  const lines = output.split("\n");
  const failures = findFailures(lines);
  const names = nameTests(failures, maxLength / 4);
  if (names.length + output.length <= maxLength) return joinParts([names, output]);
  const details = describeFailures(lines, failures, maxLength / 2);
  const found = details === "" ? firstErrors(lines, maxLength / 3) : details;
  const used = names.length + found.length;
  return joinParts([names, found, endOfOutput(output, maxLength - used)]);
}

function joinParts(parts: readonly string[]): string {
  return parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n\n");
}

function nameTests(failures: readonly Failure[], maxLength: number): string {
  const names = failedTests(failures);
  if (names.length === 0) return "";
  const listed = takeWhileFits(
    names.slice(0, MAX_NAMES).map((name) => `- ${name}`),
    maxLength,
  );
  const more = names.length - listed.length;
  return [`Failed tests (${names.length}):`, ...listed, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** Each failure gets an equal part of the room, at least a few lines. */
function describeFailures(lines: readonly string[], failures: readonly Failure[], maxLength: number): string {
  const share = Math.max(400, maxLength / Math.max(1, failures.length));
  const texts = failures.map(({ start, end }) => cutEnd(lines.slice(start, end).join("\n").trimEnd(), share));
  const listed = takeWhileFits(texts, maxLength);
  const more = texts.length - listed.length;
  return [...listed, ...(more > 0 ? [`[${more} more failures]`] : [])].join("\n");
}

function firstErrors(lines: readonly string[], maxLength: number): string {
  const found = lines.filter((line) => ERROR_LINE.test(line.slice(0, 500))).slice(0, MAX_ERROR_LINES);
  const listed = takeWhileFits(
    found.map((line) => cutEnd(line, 300)),
    maxLength,
  );
  return listed.length === 0 ? "" : ["The first lines that mention an error:", ...listed].join("\n");
}

/** Starts with a whole line. */
function endOfOutput(output: string, maxLength: number): string {
  const heading = "The end of the output:\n";
  const tail = output.trimEnd().slice(-Math.max(0, Math.floor(maxLength) - heading.length - 10));
  return `${heading}${tail.slice(tail.indexOf("\n") + 1)}`;
}

function takeWhileFits(texts: readonly string[], maxLength: number): readonly string[] {
  let left = maxLength + 1;
  const end = texts.findIndex((text) => (left -= text.length + 1) < 0);
  return end < 0 ? texts : texts.slice(0, end);
}

function cutEnd(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, Math.floor(maxLength) - 2)} …`;
}
