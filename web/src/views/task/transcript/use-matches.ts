import { useEffect, useRef, useState } from "react";
import type { Search } from "./use-search.ts";

export interface Matches {
  /** Position of the match that is shown. Null before one was shown. */
  readonly position: number | null;
  readonly go: (step: 1 | -1) => void;
}

/**
 * Goes through the matches of a search, starting with the first one after what is in view. A wish that comes before the first
 * match was found is fulfilled then.
 */
export function useMatches(
  found: Search,
  { view, show }: { readonly view: () => number; readonly show: (offset: number) => void },
): Matches {
  const [offset, setOffset] = useState<number | null>(null);
  const wanted = useRef<1 | -1 | null>(null);
  const { matches, isComplete } = found;
  const position = offset === null ? -1 : matches.indexOf(offset);

  function showAt(index: number): void {
    const next = matches[(index + matches.length) % matches.length];
    if (next === undefined) return;
    setOffset(next);
    show(next);
  }

  function go(step: 1 | -1): void {
    if (matches.length === 0) wanted.current = isComplete ? null : step;
    else if (position >= 0) showAt(position + step);
    else showAt(step === 1 ? firstAfter(matches, view()) : firstAfter(matches, view()) - 1);
  }

  useEffect(() => {
    if (matches.length === 0 || wanted.current === null) return;
    const step = wanted.current;
    // Matches behind what is in view may still be found.
    if (!isComplete && (matches.at(-1) ?? 0) < view()) return;
    wanted.current = null;
    go(step);
  });

  return { position: position < 0 ? null : position, go };
}

/** The last position wraps around to the first match. */
function firstAfter(matches: readonly number[], offset: number): number {
  const index = matches.findIndex((match) => match >= offset);
  return index < 0 ? matches.length : index;
}
