import { useEffect } from "react";
import { useShortcut } from "../app/shortcuts.ts";
import { useDecision } from "./decision-context.ts";

/** The keys of each decision on the page. The morning page can show several. */
const bound = new Map<HTMLElement, Map<string, () => void>>();

/** The decision that a key is for: the only one, or the one that has the focus. */
function findTarget(): HTMLElement | undefined {
  const [first, ...others] = bound.keys();
  if (first === undefined || others.length === 0) return first;
  return [first, ...others].find((element) => element.contains(document.activeElement));
}

function press(keys: string): void {
  // A dialog has its own buttons.
  if (document.querySelector("dialog[open]") !== null) return;
  const target = findTarget();
  if (target !== undefined) bound.get(target)?.get(keys)?.();
}

/** Binds a key while the decision is shown. Null binds nothing. */
export function useDecisionKey(keys: string, label: string, run: (() => void) | null): void {
  const { root } = useDecision();
  useShortcut(run === null ? null : { keys, label, run: () => press(keys) });
  useEffect(() => {
    const element = root.current;
    if (element === null || run === null) return undefined;
    const own = bound.get(element) ?? new Map<string, () => void>();
    bound.set(element, own.set(keys, run));
    return () => {
      if (own.get(keys) === run) own.delete(keys);
      if (own.size === 0) bound.delete(element);
    };
  });
}

const MOD = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";
/** As shown on the button that it presses. */
export const PRIMARY_KEY = `${MOD}↵`;
