import { useSyncExternalStore } from "react";

/** As in styles/phone.css. */
const PHONE = matchMedia("(max-width: 760px)");

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      PHONE.addEventListener("change", listener);
      return () => PHONE.removeEventListener("change", listener);
    },
    () => PHONE.matches,
  );
}
