import { slugOf } from "../task/branch-name.ts";

const SLUG = /^[a-z0-9][a-z0-9-]{2,48}$/;
/** The slug of a title that has no usable characters. */
const EMPTY_SLUG = slugOf("");

export interface SlugParams {
  readonly reported: string | null;
  readonly title: string;
  readonly category: string;
  readonly digest: (text: string) => string;
}

/**
 * Uses the agent's slug if it is valid, otherwise derives one from the title. If the title has no usable characters, the
 * slug contains a digest of the title, so that two such titles never share a branch.
 */
export function candidateSlug({ reported, title, category, digest }: SlugParams): string {
  if (reported !== null && SLUG.test(reported)) return reported;
  const slug = slugOf(title);
  return SLUG.test(slug) && slug !== EMPTY_SLUG ? slug : `${slugOf(category)}-${digest(title).slice(0, 8)}`;
}
