import { type RefObject, useEffect, useRef } from "react";

/** Calls `onDismiss` for Escape, and for a press outside of the element. */
export function useDismiss(element: RefObject<HTMLElement | null>, isOpen: boolean, onDismiss: () => void): void {
  const latest = useRef(onDismiss);
  useEffect(() => {
    latest.current = onDismiss;
  });
  useEffect(() => {
    if (!isOpen) return undefined;
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && element.current?.contains(event.target) === false) latest.current();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // A view behind it must not react to the same key.
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onKey, true);
    };
  }, [element, isOpen]);
}
