import type { ContextEntry, ContextKind } from "../task/documents/context-entry.ts";
import type { DataVariable, PromptData, PromptInput } from "./prompt-context.ts";

/** A rough average of English text and code. The budget is a guard against huge prompts, not an exact limit. */
const CHARACTERS_PER_TOKEN = 4;
const SHORT_ENTRY = 200;
const SHORT_TEXT = 1_000;

export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/**
 * Shortens a prompt's background by about `tokens`: the oldest summaries first, then documents that the plan replaces, then
 * the diff, which the agent can read from the files, then the oldest reviews. The task, the plan, the newest feedback and the conversation stay whole.
 */
export function shortenContext<Input extends Pick<PromptInput, "task" | "data">>(input: Input, tokens: number): Input {
  const excess = { characters: tokens * CHARACTERS_PER_TOKEN };
  const context = dropEntries(shortenEntries(input.task.context, excess), excess);
  return { ...input, task: { ...input.task, context }, data: shortenData(input.data, excess) };
}

interface Excess {
  characters: number;
}

const FEEDBACK: readonly ContextKind[] = ["review_feedback", "feedback", "failed_checks"];

function shortenEntries(entries: readonly ContextEntry[], excess: Excess): readonly ContextEntry[] {
  const kept = indexOfNewestFeedback(entries);
  return entries.map((entry, index) => {
    if (index === kept) return entry;
    return { ...entry, summary: cut(entry.summary, SHORT_ENTRY, excess) };
  });
}

function dropEntries(entries: readonly ContextEntry[], excess: Excess): readonly ContextEntry[] {
  const kept = indexOfNewestFeedback(entries);
  return entries.filter(({ summary }, index) => {
    if (excess.characters <= 0 || index === kept) return true;
    excess.characters -= summary.length;
    return false;
  });
}

function indexOfNewestFeedback(entries: readonly ContextEntry[]): number {
  return entries.findLastIndex(({ kind }) => FEEDBACK.includes(kind));
}

const SHORTENED: readonly DataVariable[] = ["related_task", "report", "design", "checks", "diff", "prior_review"];

function shortenData(data: PromptData, excess: Excess): PromptData {
  const changed = SHORTENED.flatMap((name) => {
    const text = data[name];
    return text === undefined ? [] : [[name, cut(text, SHORT_TEXT, excess)] as const];
  });
  return { ...data, ...Object.fromEntries(changed) };
}

const OMITTED = "\n[… shortened]";

/** Removes the end of the text as far as needed, but keeps `min` characters. */
function cut(text: string, min: number, excess: Excess): string {
  if (excess.characters <= 0 || text.length <= min + OMITTED.length) return text;
  const length = Math.max(min, text.length - OMITTED.length - excess.characters);
  excess.characters -= text.length - OMITTED.length - length;
  return `${text.slice(0, length)}${OMITTED}`;
}
