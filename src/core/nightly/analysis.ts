import { z } from "zod";

const candidate = z.object({
  rank: z.number(),
  title: z.string(),
  files: z.array(z.string()),
  description: z.string(),
  rationale: z.string(),
});

/** What `analyze` found, after the engine dropped what must not be done. */
const analysis = z.object({
  category: z.string(),
  candidates: z.array(candidate),
  selected: z.number(),
  slug: z.string().nullish(),
  dropped: z.array(z.object({ rank: z.number(), title: z.string(), reason: z.string() })).default([]),
});

export type Candidate = z.infer<typeof candidate>;
export type Analysis = z.infer<typeof analysis>;

/** Null where the payload is of another shape: then nobody found anything. */
export function readAnalysis(payload: Readonly<Record<string, unknown>> | null): Analysis | null {
  return analysis.safeParse(payload).data ?? null;
}

export function selectedCandidate({ candidates, selected }: Analysis): Candidate | null {
  return candidates.find(({ rank }) => rank === selected) ?? null;
}

const description = z.object({
  title: z.string(),
  summary: z.string(),
  reasoning: z.string(),
  changes: z.string(),
  commit_message: z.string(),
});

/** What `describe` wrote about the finished change. */
export type Description = z.infer<typeof description>;

export function readDescription(payload: Readonly<Record<string, unknown>> | null): Description | null {
  return description.safeParse(payload).data ?? null;
}
