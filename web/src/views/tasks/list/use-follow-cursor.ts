import { type RefObject, useEffect, useRef } from "react";

/** Scrolls to the selected task and focuses its title, so that keys and screen readers continue from there. */
export function useFollowCursor(
  table: RefObject<HTMLElement | null>,
  current: string | null,
  scrollTo: (id: string) => void,
): void {
  const followed = useRef<string | null>(null);
  useEffect(() => {
    if (current === null || followed.current === current) return;
    const row = table.current?.querySelector(`[data-task="${CSS.escape(current)}"]`);
    if (row?.contains(document.activeElement) === true) {
      followed.current = current;
      return;
    }
    scrollTo(current);
    const link = row?.querySelector("a");
    if (link == null) return; // It is rendered after the scrolling, and then this runs again.
    followed.current = current;
    link.focus({ preventScroll: true });
  });
}
