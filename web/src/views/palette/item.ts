import type { ComponentType } from "react";
import { type Matchable, NO_MATCH, rankMatch, rankMatches } from "../../../../src/core/text/rank-matches.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import type { GlyphName } from "../../ui/glyph.tsx";

/** Something that the palette finds or does. */
export interface PaletteItem extends Matchable {
  readonly id: string;
  readonly icon: GlyphName | ComponentType<{ size?: number; strokeWidth?: number; "aria-hidden"?: boolean }>;
  /** At the right: the project of a task, for example. */
  readonly note?: string;
  /** Such as "g m". */
  readonly keys?: string;
  /** Why it is not possible now. */
  readonly refusal?: string | null;
  /** A task whose own actions can be shown. */
  readonly task?: TaskJson;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly id: string;
  readonly title: string;
  readonly items: readonly PaletteItem[];
  /** The most results that the group gets while others have results as well. */
  readonly share: number;
}

export const MAX_RESULTS = 8;

/**
 * The results for a query: at most eight, in groups. The group with the best match comes first; what is not possible now comes
 * last.
 */
export function findResults(query: string, groups: readonly PaletteGroup[]): readonly PaletteGroup[] {
  const matching = groups.map((group) => ({ ...group, items: rankMatches(query, group.items) }));
  const possible = matching.map((group) => ({ ...group, items: group.items.filter((item) => item.refusal == null) }));
  const refused = matching.flatMap(({ items }) => items.filter((item) => item.refusal != null));
  const best = ({ items }: PaletteGroup): number => (items[0] === undefined ? NO_MATCH : rankMatch(query, items[0]));
  const ordered = possible.toSorted((a, b) => best(a) - best(b));
  const last: PaletteGroup = { id: "refused", title: "Not possible now", items: refused, share: 2 };
  return share([...ordered, last]);
}

/** Each group gets its share first. What is left goes to the groups in their order. */
function share(groups: readonly PaletteGroup[]): readonly PaletteGroup[] {
  const taken = groups.map(({ items, share: most }) => Math.min(items.length, most));
  let left = MAX_RESULTS - taken.reduce((sum, count) => sum + count, 0);
  for (const [index, { items }] of groups.entries()) {
    const more = Math.max(0, Math.min(left, items.length - (taken[index] ?? 0)));
    taken[index] = (taken[index] ?? 0) + more;
    left -= more;
  }
  let room = MAX_RESULTS;
  return groups.flatMap((group, index) => {
    const items = group.items.slice(0, Math.min(room, taken[index] ?? 0));
    room -= items.length;
    return items.length === 0 ? [] : [{ ...group, items }];
  });
}
