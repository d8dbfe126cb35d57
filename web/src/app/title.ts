import { useEffect } from "react";
import { useApi } from "../api/queries.ts";

/** Number of tasks that wait for a person. */
export function useWaitingCount(): number {
  return useApi("GET /status").data?.tasks.waiting ?? 0;
}

/** Sets the title of the tab, with the number of tasks that wait, and the icon. */
export function useTitle(title: string): void {
  const waiting = useWaitingCount();
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Nightshift`;
    document.querySelector("#favicon")?.setAttribute("href", waiting > 0 ? "/favicon-waiting.svg" : "/favicon.svg");
  }, [title, waiting]);
}
