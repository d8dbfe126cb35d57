import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** So near to the end that a person means the end. */
const END_PX = 60;

export interface Follow {
  readonly isFollowing: boolean;
  readonly follow: () => void;
  readonly stop: () => void;
}

/** Keeps the end in view while a run adds to it, until the person scrolls up. */
export function useFollow(list: RefObject<HTMLElement | null>, isOpen: boolean): Follow {
  const [isFollowing, setFollowing] = useState(isOpen);
  const wanted = useRef(isOpen);
  const set = useCallback((next: boolean): void => {
    wanted.current = next;
    setFollowing(next);
  }, []);
  useEffect(() => {
    let last = window.scrollY;
    const onScroll = (): void => {
      const isUp = window.scrollY < last - 1;
      last = window.scrollY;
      // Asking for the height makes the browser lay out the page, so it is asked only if the answer matters.
      if (isUp && wanted.current && distanceFromEnd() > END_PX) set(false);
      else if (!isUp && isOpen && !wanted.current && distanceFromEnd() <= END_PX) set(true);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => window.removeEventListener("scroll", onScroll);
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
