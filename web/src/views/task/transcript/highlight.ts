import { useEffect } from "react";

const NAME = "transcript-find";
const MAX_RANGES = 500;

/** Marks a text wherever it is shown, without a change to the elements. Browsers without this feature mark only the entry. */
export function useHighlight(text: string, root: HTMLElement | null, version: unknown): void {
  useEffect(() => {
    if (!("highlights" in CSS)) return undefined;
    if (text === "" || root === null) return undefined;
    CSS.highlights.set(NAME, new Highlight(...findRanges(root, text)));
    return () => {
      CSS.highlights.delete(NAME);
    };
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs after each change of the entries
  }, [text, root, version]);
}

/** Where a text is in an element. A match that is split over several elements is not found. */
export function findRanges(root: HTMLElement, text: string): readonly Range[] {
  const needle = text.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MAX_RANGES; node = walker.nextNode()) {
    const content = (node.nodeValue ?? "").toLowerCase();
    for (let at = content.indexOf(needle); at >= 0 && ranges.length < MAX_RANGES;) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
      at = content.indexOf(needle, at + needle.length);
    }
  }
  return ranges;
}
