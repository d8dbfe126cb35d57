import { slugOf } from "../task/branch-name.ts";

const SLUG = /^[a-z0-9][a-z0-9-]{2,48}$/;
/** What `slugOf` makes of a title without a letter it knows. */
const NOTHING = slugOf("");

export interface SlugParams {
  readonly reported: string | null;
  readonly title: string;
  readonly category: string;
  readonly digest: (text: string) => string;
}

/**
 * The agent's own where it will do, else one of the title. A title in letters that have no place in a slug gets one of its
 * digest, so that two of them never share a branch.
 */
export function candidateSlug({ reported, title, category, digest }: SlugParams): string {
  if (reported !== null && SLUG.test(reported)) return reported;
  const slug = slugOf(title);
  return SLUG.test(slug) && slug !== NOTHING ? slug : `${slugOf(category)}-${digest(title).slice(0, 8)}`;
}
