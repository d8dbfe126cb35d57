import type { PayloadOf } from "../outcomes/outcome.ts";

type Found = PayloadOf<"improvement_found">;

export type Candidate = Found["candidates"][number];

/** Findings of the `analyze` role after the engine dropped the candidates that are not allowed. */
export interface Analysis extends Pick<Found, "category" | "candidates" | "selected" | "slug"> {
  readonly dropped: NonNullable<Found["dropped"]>;
}

export function toAnalysis({ category, candidates, selected, slug, dropped = [] }: Found): Analysis {
  return { category, candidates, selected, slug, dropped };
}

export function selectedCandidate({ candidates, selected }: Analysis): Candidate | null {
  return candidates.find(({ rank }) => rank === selected) ?? null;
}

/** The `describe` role's text about the finished change. */
export type Description = PayloadOf<"described">;
