import { useSyncExternalStore } from "react";

const wide = matchMedia("(min-width: 1081px)");

/** Whether the window is wide enough for two columns of code. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener("change", listener);
      return () => wide.removeEventListener("change", listener);
    },
    () => wide.matches,
  );
}
