import type { TranscriptEventJson } from "../../http/client/client.ts";

/** Arguments that say best what a tool call does, in the words of the agent CLIs. The first one that is present is shown. */
const DESCRIPTIVE_ARGUMENTS = [
  "command",
  "file_path",
  "filePath",
  "absolute_path",
  "notebook_path",
  "path",
  "pattern",
  "query",
  "url",
  "description",
  "prompt",
];

/** More than fits on a line of a terminal. */
const MAX_INPUT = 1_000;

/** Describes what an agent does, such as `Bash npm test` or its last line of text. Null for events that say nothing about it. */
export function describeActivity(event: TranscriptEventJson): string | null {
  switch (event.type) {
    case "text":
    case "raw":
      return lastLine(event.text);
    case "thinking":
      return "thinking";
    case "tool_call":
      return [event.name.replace(/^mcp__/, ""), describeInput(event.input)].join(" ").trimEnd();
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

function describeInput(input: unknown): string {
  const found = mainArgument(input)?.[1] ?? "";
  const text = typeof found === "string" ? found : found.join(" ");
  return withoutWorkspace(text.slice(0, MAX_INPUT));
}

/** The argument that says best what a tool call does. Null if there is none. */
export function mainArgument(input: unknown): readonly [name: string, value: string | readonly unknown[]] | null {
  if (typeof input !== "object" || input === null) return null;
  const fields: Readonly<Record<string, unknown>> = { ...input };
  for (const name of DESCRIPTIVE_ARGUMENTS) {
    const value = fields[name];
    if (typeof value === "string" || Array.isArray(value)) return [name, value];
  }
  return null;
}

/** Agents name files by their full path. People know them by the path in the repository. */
export function withoutWorkspace(text: string): string {
  return text.replaceAll(/(?:\/[^/\s]+)*\/workspaces\/task_\w+\/[\w-]+(\/|(?=\s|$))/g, (_, slash) =>
    slash === "/" ? "" : ".",
  );
}
