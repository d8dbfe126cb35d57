import type { SEVERITIES } from "../../../../../src/core/task/documents/review.ts";
import { useDraft } from "../../../app/draft.ts";

export interface LineDraft {
  readonly id: string;
  readonly file: string;
  /** Null: about the file as a whole. */
  readonly line: number | null;
  readonly severity: (typeof SEVERITIES)[number];
  readonly text: string;
  /** Still being written. */
  readonly isOpen: boolean;
}

interface StoredReview {
  /** The commit that the person saw when they began. Null before they began. */
  readonly commit: string | null;
  readonly summary: string;
  readonly comments: readonly LineDraft[];
}

const NOTHING: StoredReview = { commit: null, summary: "", comments: [] };

export interface ReviewDraft extends StoredReview {
  /** Comments that are not empty. */
  readonly written: readonly LineDraft[];
  start(file: string, line: number | null): void;
  change(id: string, changed: Partial<Pick<LineDraft, "text" | "severity" | "isOpen">>): void;
  discard(id: string): void;
  setSummary(summary: string): void;
  /** Says that the comments hold for the newer commit too. */
  moveTo(commit: string): void;
  clear(): void;
}

/** A person's review of a task's change that was not sent yet. It survives a reload. */
export function useReviewDraft(task: string, head: string | null): ReviewDraft {
  const [stored, store, clear] = useDraft<StoredReview>(`review.${task}`, NOTHING);
  const update = (changed: Partial<StoredReview>): void => {
    const next = { ...stored, ...changed };
    if (next.comments.length === 0 && next.summary.trim() === "") clear();
    else store({ ...next, commit: next.commit ?? head });
  };
  return {
    ...stored,
    written: stored.comments.filter(({ text }) => text.trim() !== ""),
    start(file, line) {
      const open = stored.comments.find((each) => each.file === file && each.line === line);
      if (open !== undefined) return;
      const draft: LineDraft = { id: crypto.randomUUID(), file, line, severity: "suggestion", text: "", isOpen: true };
      update({ comments: [...stored.comments, draft] });
    },
    change: (id, changed) =>
      update({ comments: stored.comments.map((each) => (each.id === id ? { ...each, ...changed } : each)) }),
    discard: (id) => update({ comments: stored.comments.filter((each) => each.id !== id) }),
    setSummary: (summary) => update({ summary }),
    moveTo: (commit) => update({ commit }),
    clear,
  };
}
