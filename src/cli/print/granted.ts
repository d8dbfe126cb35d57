import { terminalLine } from "../../core/text/terminal-text.ts";
import type { EventJson } from "../../http/client/client.ts";

const MAX_WIDTH = 240;

/** Lists the runs that got one of Nightshift's own credentials, such as the forge token. */
export function describeGranted(events: readonly Pick<EventJson, "run" | "summary" | "data">[]): string {
  return events
    .filter(({ data }) => Array.isArray(data["granted"]) && data["granted"].length > 0)
    .map(({ run, summary }) => `  ${run ?? "?"}: ${terminalLine(summary, MAX_WIDTH)}\n`)
    .join("");
}
