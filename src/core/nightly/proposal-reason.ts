/** Why a person rejected a proposal. */
export const REASON_KINDS = ["wrong", "not_worth_it", "too_big", "duplicate", "style", "other"] as const;
export type ReasonKind = (typeof REASON_KINDS)[number];

export interface ProposalReason {
  readonly kind: ReasonKind;
  readonly text: string;
  readonly by: string;
  readonly at: number;
}
