import { type RefObject, useEffect, useRef } from "react";
import { findRanges } from "./highlight.ts";

/** The bar at the top and the frame of a phone cover this much. */
export const COVERED_PX = 120;
const AGAIN_MS = 100;
const MAX_TIMES = 12;
/** What a person does to look at something else. */
const INTERRUPTIONS = ["wheel", "touchstart", "pointerdown"] as const;

export interface RevealParams {
  readonly list: RefObject<HTMLElement | null>;
  /** Null while what is wanted is not loaded. */
  readonly index: number | null;
  readonly key: string | null;
  /** Differs for each wish, so that a person can go to the same place again. */
  readonly wish: number;
  readonly find: string;
  readonly scrollTo: (index: number, align: "start" | "center") => void;
}

/**
 * Brings an entry into view, and in a high entry the text that was searched for. Tries again for a moment, because heights are
 * measured only when entries are shown, and because the router scrolls to the top of a new page.
 */
export function useReveal(params: RevealParams): void {
  const latest = useRef(params);
  useEffect(() => {
    latest.current = params;
  });
  const isLoaded = params.index !== null;
  const { wish } = params;
  useEffect(() => {
    if (!isLoaded) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = MAX_TIMES;
    const stop = (): void => {
      left = 0;
    };
    const look = (): void => {
      if (left <= 0) return;
      left -= 1;
      bringIntoView(latest.current);
      timer = setTimeout(look, AGAIN_MS);
    };
    look();
    for (const type of INTERRUPTIONS) window.addEventListener(type, stop, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const type of INTERRUPTIONS) window.removeEventListener(type, stop);
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- once for each wish
  }, [isLoaded, wish]);
}

function bringIntoView({ list, index, key, find, scrollTo }: RevealParams): void {
  if (index === null || key === null) return;
  const element = list.current?.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (element == null) return scrollTo(index, "center");
  const text = find === "" ? undefined : findRanges(element, find)[0]?.getBoundingClientRect();
  const box = text ?? element.getBoundingClientRect();
  const isHigh = text === undefined && box.height > window.innerHeight / 2;
  if (
    box.top >= COVERED_PX &&
    (isHigh ? box.top < window.innerHeight / 2 : box.bottom <= window.innerHeight - COVERED_PX)
  )
    return;
  if (text === undefined) scrollTo(index, isHigh ? "start" : "center");
  else window.scrollBy({ top: box.top - window.innerHeight / 2, behavior: "instant" });
}
