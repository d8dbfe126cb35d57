import type { PayloadOf } from "../outcomes/outcome.ts";

type Found = PayloadOf<"improvement_found">;

export type Candidate = Found["candidates"][number];

/** What `analyze` found, after the engine dropped what must not be done. */
export interface Analysis extends Pick<Found, "category" | "candidates" | "selected" | "slug"> {
  readonly dropped: NonNullable<Found["dropped"]>;
}

export function toAnalysis({ category, candidates, selected, slug, dropped = [] }: Found): Analysis {
  return { category, candidates, selected, slug, dropped };
}

export function selectedCandidate({ candidates, selected }: Analysis): Candidate | null {
  return candidates.find(({ rank }) => rank === selected) ?? null;
}

/** What `describe` wrote about the finished change. */
export type Description = PayloadOf<"described">;
