import { cleanFiles, type Analysis, type Description } from "./candidates.ts";
import { commitText, forgeText, titleText } from "../forge/forge-text.ts";
import { terminalLine, terminalText } from "../text/terminal-text.ts";

/** The commit message of a change and the text of its change request. */
export interface ChangeText {
  readonly message: string;
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
}

const MAX_TITLE = 200;
export const NIGHT_LABEL = "night-shift";

export interface NightChange {
  readonly category: string;
  readonly analysis: Analysis;
  readonly description: Description;
  readonly trailer: string;
}

/** Text of a nightly improvement. Agent text is escaped, so that it cannot trigger commands or mentions on the forge. */
export function describeNightChange({ category, analysis, description, trailer }: NightChange): ChangeText {
  return {
    message: [commitText(withoutCategories(description.commit_message)), trailer]
      .filter((part) => part !== "")
      .join("\n\n"),
    title: `[${NIGHT_LABEL}/${category}] ${titleText(withoutCategories(description.title), MAX_TITLE)}`,
    body: joinSections([
      ["Summary", forgeText(description.summary)],
      ["Reasoning", forgeText(description.reasoning)],
      ["Changes", forgeText(description.changes)],
      ["Candidates considered", describeCandidates(analysis)],
    ]),
    labels: [NIGHT_LABEL, category],
  };
}

/** Removes `[…]` at the start, and our own mark anywhere: only the engine may name the category. */
function withoutCategories(text: string): string {
  return terminalText(text)
    .replace(/^(?:\s*[[［【][^\]］】\n]*[\]］】])+\s*/u, "")
    .replaceAll(/[[［【][^\]］】\n]*night[\s_-]*shift[^\]］】\n]*[\]］】]\s*/giu, "");
}

export interface TaskChange {
  readonly title: string;
  readonly description: string;
  readonly summary: string;
  readonly checks: readonly string[];
  readonly trailer: string;
  /** Number of the issue that the merge closes. */
  readonly issue?: number | null;
}

/** Text of a change that a person requested. Only the number that the engine knows closes an issue. */
export function describeTaskChange(change: TaskChange): ChangeText {
  const { title, description, summary, checks, trailer, issue = null } = change;
  return {
    message: [commitText([title, summary === title ? "" : summary].join("\n\n")), trailer]
      .filter((part) => part !== "")
      .join("\n\n"),
    title: titleText(title, MAX_TITLE),
    body: joinSections([
      ["Summary", forgeText(summary)],
      ["Request", forgeText(description)],
      ["Checks", checks.map((check) => `- ${forgeText(check)}`).join("\n")],
      ["Issue", issue === null ? "" : `Closes #${issue}`],
    ]),
    labels: [],
  };
}

/** Tells the readers of a change request that nothing vouches for it. Null: the checks do. */
export function addUnverified(text: ChangeText, because: string | null): ChangeText {
  if (because === null) return text;
  return { ...text, body: `${joinSections([["Not verified", forgeText(because)]])}\n\n${text.body}` };
}

/** Says at the top of a change request which of the project's checks were not accepted. */
export function markUnchecked(text: ChangeText, checks: readonly string[]): ChangeText {
  if (checks.length === 0) return text;
  const names = checks.map((check) => forgeText(check)).join(", ");
  return {
    ...text,
    body: `**Not checked.** These checks of the project are not accepted, so they did not verify the change as written: ${names}\n\n${text.body}`,
  };
}

function describeCandidates({ candidates, selected, dropped }: Analysis): string {
  const candidateLines = candidates
    .toSorted((a, b) => a.rank - b.rank)
    .map((candidate) => {
      const files = cleanFiles(candidate.files).map(asCode).join(", ");
      const status = candidate.rank === selected ? "**this change**" : "not selected";
      return `${candidate.rank}. ${forgeText(oneLine(candidate.title))} (${status}): ${forgeText(oneLine(candidate.rationale))} ${files}`.trim();
    });
  const droppedLines = dropped.map(
    ({ title, reason }) => `- ${forgeText(oneLine(title))} (dropped): ${forgeText(reason)}`,
  );
  return [candidateLines.join("\n"), droppedLines.join("\n")].filter((part) => part !== "").join("\n\n");
}

function joinSections(parts: readonly (readonly [string, string])[]): string {
  return parts
    .filter(([, text]) => text !== "")
    .map(([title, text]) => `## ${title}\n\n${text}`)
    .join("\n\n");
}

/** Replaces backticks, because one would end the code span. */
function asCode(file: string): string {
  return `\`${forgeText(oneLine(file)).replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return terminalLine(text, MAX_TITLE);
}
