import { isSameIntent, type Intent } from "./proposal-intent.ts";
import type { ProposalReason } from "./proposal-reason.ts";

/**
 * - `proposed`: named by an analysis, not taken.
 * - `published`: an open change request.
 * - `rejected`: refused before it was one, by a person or by the rules.
 * - `abandoned`: tried, and given up.
 */
export const PROPOSAL_STATUSES = ["proposed", "published", "merged", "closed", "rejected", "abandoned"] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** A line of the ledger: an improvement that was named once, and what became of it. It outlives its task. */
export interface Proposal extends Intent {
  readonly id: string;
  readonly project: string;
  readonly task: string;
  /** From where on changes of its files count: what it was made on, and once it was merged, the merge. */
  readonly baseCommit: string;
  /** Fingerprint of category, files and words. */
  readonly intent: string;
  /** Fingerprint of the change itself; null until there was one. */
  readonly patch: string | null;
  readonly status: ProposalStatus;
  /** Of the change request. */
  readonly url: string | null;
  readonly number: number | null;
  readonly at: number;
  readonly updatedAt: number;
  readonly reason: ProposalReason | null;
  /** When people were asked why it was closed: they are asked once. */
  readonly askedAt: number | null;
}

/** What happened to a file between two commits. */
export interface FileChurn {
  readonly path: string;
  /** It was there and is not any more. */
  readonly gone: boolean;
  /** Lines put in or taken out, whichever are more. */
  readonly changed: number;
  /** How many it had before; 0 where it was not there. */
  readonly lines: number;
}

/** Fewer changed lines than these never make a file another one, however short it is. */
const FEW_LINES = 10;

/** A file that is gone, or of which more than ten lines and more than a tenth changed. */
export function hasChangedMuch({ gone, changed, lines }: FileChurn): boolean {
  return gone || changed > Math.max(FEW_LINES, lines / 10);
}

/**
 * True while `candidate` must not be proposed because of `proposal`. What is open blocks; what was decided on blocks until
 * one of the files that both name changed materially, and so does a branch without a change request, of which nobody hears
 * what became. `churn` is what happened to them since `proposal.baseCommit`; null,
 * where nobody can tell (that commit is gone from the repository), blocks: never twice is what was promised.
 */
export function blocks(
  proposal: Pick<Proposal, "status" | "category" | "files" | "title"> & Partial<Pick<Proposal, "url">>,
  candidate: Intent,
  churn: readonly FileChurn[] | null,
): boolean {
  if (proposal.status === "proposed" || !isSameIntent(proposal, candidate)) return false;
  const isOpen = proposal.status === "published" && proposal.url !== null;
  if (isOpen || churn === null) return true;
  const files = new Set(sharedFiles(proposal, candidate));
  return !churn.some((file) => files.has(file.path) && hasChangedMuch(file));
}

export function sharedFiles(one: Pick<Intent, "files">, other: Pick<Intent, "files">): readonly string[] {
  return one.files.filter((file) => other.files.includes(file));
}

const ID_LENGTH = 12;

/** The same candidate of the same task has the same id, so that recording it again changes nothing. */
export function proposalId(
  of: { readonly task: string; readonly category: string; readonly rank: number; readonly title: string },
  digest: (text: string) => string,
): string {
  return `prop_${digest(JSON.stringify([of.task, of.category, of.rank, of.title])).slice(0, ID_LENGTH)}`;
}
