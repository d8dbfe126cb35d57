import { describeContext } from "./prompt-sections.ts";
import type { DocumentKind } from "../task/documents/document.ts";
import type { Task } from "../task/task.ts";

export interface RelatedTask {
  readonly task: Pick<
    Task,
    "id" | "title" | "description" | "status" | "reason" | "branch" | "context" | "baseCommit" | "headCommit"
  >;
  /** The newest version of each document, as Markdown. */
  readonly documents: readonly { readonly kind: DocumentKind; readonly text: string }[];
  readonly url: string | null;
  /** The change as a patch. Empty if there is none. */
  readonly patch: string;
}

const MAX_DESCRIPTION = 5_000;
const MAX_DOCUMENT = 15_000;
const MAX_SUMMARIES = 10_000;
const MAX_PATCH = 30_000;

/** What an agent should know about another task: its request, result, documents, summaries and change. */
export function describeRelatedTask({ task, documents, url, patch }: RelatedTask): string {
  const reason = task.reason === null ? "" : `: ${task.reason}`;
  const place = [
    ...(task.branch === null ? [] : [`branch ${task.branch}`]),
    ...(task.headCommit === null || task.headCommit === task.baseCommit ? [] : [`commit ${task.headCommit}`]),
    ...(url === null ? [] : [url]),
  ];
  return [
    `${task.id}: ${task.title} (${task.status}${reason})`,
    ...(place.length === 0 ? [] : [place.join(", ")]),
    cut(task.description, MAX_DESCRIPTION),
    ...documents.map(({ kind, text }) => `Its ${kind}:\n${cut(text, MAX_DOCUMENT)}`),
    // The newest summaries matter most.
    ...(task.context.length === 0 ? [] : [`Its runs:\n${cutStart(describeContext(task.context), MAX_SUMMARIES)}`]),
    ...(patch === "" ? [] : [`Its change:\n${cut(patch, MAX_PATCH)}`]),
  ].join("\n\n");
}

const OMITTED = "[… shortened]";

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}\n${OMITTED}`;
}

function cutStart(text: string, max: number): string {
  return text.length <= max ? text : `${OMITTED}\n${text.slice(-max)}`;
}
