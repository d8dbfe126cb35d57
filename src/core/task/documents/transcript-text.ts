import type { TranscriptEvent } from "./transcript.ts";

/** The text of an event that a person sees and can search for. Empty for events without one. */
export function textOf(event: TranscriptEvent): string {
  switch (event.type) {
    case "text":
    case "thinking":
    case "raw":
      return event.text;
    case "tool_call":
      return `${event.name}\n${valuesOf(event.input)}`;
    case "tool_result":
      return event.output;
    case "file_change":
      return event.path;
    case "error":
      return event.message;
    case "outcome":
      return valuesOf(event.value);
    case "usage":
    case "limit":
    case "session":
      return "";
  }
}

export function isError(event: Pick<TranscriptEvent, "type"> & { readonly failed?: boolean }): boolean {
  return event.type === "error" || (event.type === "tool_result" && event.failed === true);
}

/** The texts and numbers in a JSON value, without the keys. */
function valuesOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return Object.values(value).map(valuesOf).join("\n");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
