import { useSyncExternalStore } from "react";

/** As in the style sheets, where a phone shows the list or one decision. */
const WIDE = matchMedia("(min-width: 761px)");

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

/** Whether the list and a decision fit side by side. A hidden decision would react to keys. */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => WIDE.matches);
}
