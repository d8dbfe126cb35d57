import { isSameIntent, type Intent } from "./proposal-intent.ts";

/**
 * - `proposed`: found by an analysis but not selected.
 * - `published`: has an open change request.
 * - `rejected`: rejected by a person or by the rules before there was a change request.
 * - `abandoned`: tried without success.
 */
export const PROPOSAL_STATUSES = ["proposed", "published", "merged", "closed", "rejected", "abandoned"] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

/** An entry of the ledger: a proposed improvement and its status. It is kept when its task is deleted. */
export interface Proposal extends Intent {
  readonly id: string;
  readonly project: string;
  readonly task: string;
  /** File changes are counted from this commit: the commit it was based on, or after a merge the merge commit. */
  readonly baseCommit: string;
  /** Fingerprint of category, files and title words. */
  readonly intent: string;
  /** Fingerprint of the change itself; null until there is one. */
  readonly patch: string | null;
  readonly status: ProposalStatus;
  /** URL of the change request. */
  readonly url: string | null;
  readonly number: number | null;
  readonly at: number;
  readonly updatedAt: number;
  readonly reason: ProposalReason | null;
  /** When people were asked why it was closed. They are asked only once. */
  readonly askedAt: number | null;
}

/** How much a file changed between two commits. */
export interface FileChurn {
  readonly path: string;
  /** The file was deleted. */
  readonly gone: boolean;
  /** Added or removed lines, whichever number is larger. */
  readonly changed: number;
  /** Line count before the change; 0 if the file did not exist. */
  readonly lines: number;
}

/** Up to this number of changed lines, even a short file counts as unchanged. */
const MIN_CHANGED_LINES = 10;

/** True if the file was deleted, or if more than ten lines and more than a tenth of it changed. */
export function hasChangedMuch({ gone, changed, lines }: FileChurn): boolean {
  return gone || changed > Math.max(MIN_CHANGED_LINES, lines / 10);
}

/**
 * True while `candidate` must not be proposed because of the earlier `proposal`. An open change request always blocks. A
 * decided proposal, or a branch without a change request, blocks until one of the shared files changed materially. `churn`
 * is the change of these files since `proposal.baseCommit`. If it is unknown (the commit is gone), the proposal blocks,
 * because nothing may be proposed twice.
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

/** Deterministic, so that recording the same candidate of a task twice is idempotent. */
export function proposalId(
  of: { readonly task: string; readonly category: string; readonly rank: number; readonly title: string },
  digest: (text: string) => string,
): string {
  return `prop_${digest(JSON.stringify([of.task, of.category, of.rank, of.title])).slice(0, ID_LENGTH)}`;
}

/** Why a person rejected a proposal. */
export const REASON_KINDS = ["wrong", "not_worth_it", "too_big", "duplicate", "style", "other"] as const;
export type ReasonKind = (typeof REASON_KINDS)[number];

export interface ProposalReason {
  readonly kind: ReasonKind;
  readonly text: string;
  readonly by: string;
  readonly at: number;
}
