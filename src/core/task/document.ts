import type { Outcome } from "../outcomes/outcome.ts";
import { canonicalJson } from "../text/canonical-json.ts";

export const DOCUMENT_KINDS = ["plan", "design", "report"] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** One version of a document that an agent wrote. The store keeps its content apart from the task, because it can be long. */
export interface DocumentRef {
  readonly kind: DocumentKind;
  /** Starts at 1 and increases with every revision. */
  readonly version: number;
  /** SHA-256 of the content. An approval applies to exactly this hash. */
  readonly hash: string;
  readonly run: string;
  readonly at: number;
}

export interface TaskDocument extends DocumentRef {
  /** The agent's report, as validated by the outcome's schema. */
  readonly content: DocumentContent;
}

export type DocumentContent = Readonly<Record<string, unknown>>;

interface WrittenBy {
  readonly run: string;
  readonly at: number;
  readonly digest: (text: string) => string;
}

/** The document that an outcome contains. Null if it contains none. */
export function documentOf(outcome: Outcome, earlier: readonly DocumentRef[], by: WrittenBy): TaskDocument | null {
  const kind = kindOf(outcome.name);
  return kind === null ? null : newVersion({ kind, content: outcome.payload }, earlier, by);
}

export function newVersion(
  { kind, content }: Pick<TaskDocument, "kind" | "content">,
  earlier: readonly DocumentRef[],
  { run, at, digest }: WrittenBy,
): TaskDocument {
  const version = (newestOf(earlier, kind)?.version ?? 0) + 1;
  return { kind, version, hash: digest(canonicalJson(content)), run, at, content };
}

export function newestOf(documents: readonly DocumentRef[], kind: DocumentKind): DocumentRef | null {
  return documents.findLast((document) => document.kind === kind) ?? null;
}

/** The task keeps only the reference. */
export function toRef({ kind, version, hash, run, at }: TaskDocument): DocumentRef {
  return { kind, version, hash, run, at };
}

/** The kind of document that an outcome with this name contains. */
export function kindOf(name: Outcome["name"]): DocumentKind | null {
  switch (name) {
    case "plan_complete":
      return "plan";
    case "design_ready":
      return "design";
    case "investigation_complete":
      return "report";
    default:
      return null;
  }
}
