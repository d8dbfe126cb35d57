import { type RefObject, useLayoutEffect, useState } from "react";

export interface Top {
  /** Distance of the list from the start of the document. */
  readonly offset: number;
  /** Height of the bars that stay at the top of the window. */
  readonly bar: number;
}

/** The bars above the list wrap on narrow screens, and banners come and go. */
export function useTop(table: RefObject<HTMLElement | null>): Top {
  const [top, setTop] = useState<Top>({ offset: 0, bar: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      const element = table.current;
      const bar = document.querySelector<HTMLElement>(".bar-top");
      if (element === null || bar === null) return;
      const stickyTop = Number.parseFloat(getComputedStyle(bar).top) || 0;
      const next = {
        offset: Math.round(element.getBoundingClientRect().top + scrollY),
        bar: Math.round(bar.offsetHeight + stickyTop),
      };
      setTop((old) => (old.offset === next.offset && old.bar === next.bar ? old : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    for (const bar of document.querySelectorAll(".bar-top")) observer.observe(bar);
    return () => observer.disconnect();
  }, [table]);
  return top;
}
