import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** So near to the end that a person means the end. */
const END_PX = 60;
/** How long after an input scrolling is due to the person. */
const INPUT_MS = 1000;
const INPUTS = ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"] as const;

export interface Follow {
  readonly isFollowing: boolean;
  readonly follow: () => void;
  readonly stop: () => void;
}

/**
 * Keeps the end in view while a run adds to it, until the person scrolls up. The browser scrolls up by itself if entries turn
 * out to be lower than estimated, so only scrolling after an input counts.
 */
export function useFollow(list: RefObject<HTMLElement | null>, isOpen: boolean): Follow {
  const [isFollowing, setFollowing] = useState(isOpen);
  const wanted = useRef(isOpen);
  const set = useCallback((next: boolean): void => {
    wanted.current = next;
    setFollowing(next);
  }, []);
  useEffect(() => {
    let last = window.scrollY;
    let inputAt = -Infinity;
    const onInput = (): void => {
      inputAt = performance.now();
    };
    const onScroll = (): void => {
      const isUp = window.scrollY < last - 1;
      last = window.scrollY;
      const isPerson = performance.now() - inputAt < INPUT_MS;
      // Asking for the height makes the browser lay out the page, so it is asked only if the answer matters.
      if (isUp && isPerson && wanted.current && distanceFromEnd() > END_PX) set(false);
      else if (!isUp && isOpen && !wanted.current && distanceFromEnd() <= END_PX) set(true);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    for (const type of INPUTS) window.addEventListener(type, onInput, { passive: true, capture: true });
    return () => {
      window.removeEventListener("scroll", onScroll);
      for (const type of INPUTS) window.removeEventListener(type, onInput, { capture: true });
    };
  }, [isOpen, set]);
  useEffect(() => {
    const log = list.current?.parentElement;
    if (log == null) return undefined;
    // Called after the browser has laid out what was added or measured.
    const observer = new ResizeObserver(() => {
      if (wanted.current) scrollToEnd();
    });
    observer.observe(log);
    return () => observer.disconnect();
  }, [list]);
  const follow = useCallback(() => {
    set(true);
    scrollToEnd();
  }, [set]);
  const stop = useCallback(() => set(false), [set]);
  return { isFollowing, follow, stop };
}

function distanceFromEnd(): number {
  return document.documentElement.scrollHeight - window.innerHeight - window.scrollY;
}

function scrollToEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}
