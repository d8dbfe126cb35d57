import { describeInput, toolName, withoutWorkspace } from "../../core/transcript/tool-input.ts";
import type { TranscriptEventJson } from "../../http/client/client.ts";

/** Describes what an agent does, such as `Bash npm test` or its last line of text. Null for events that say nothing about it. */
export function describeActivity(event: TranscriptEventJson): string | null {
  switch (event.type) {
    case "text":
    case "raw":
      return lastLine(event.text);
    case "thinking":
      return "thinking";
    case "tool_call":
      return [toolName(event.name), describeInput(event.input)].join(" ").trimEnd();
    case "file_change":
      return `${event.change} ${withoutWorkspace(event.path)}`;
    case "error":
      return lastLine(event.message);
    case "limit":
      return `${event.kind} limit reached`;
    case "tool_result":
    case "usage":
    case "session":
    case "outcome":
      return null;
  }
}

/** The last line that is not empty. Null if there is none. */
export function lastLine(text: string): string | null {
  return (
    text
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1)
      ?.trim() || null
  );
}
