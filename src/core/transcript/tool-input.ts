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

/** More than fits on a line. */
const MAX_INPUT = 1_000;

/** The argument that says best what a tool call does. Null if there is none. */
export function mainArgument(input: unknown): readonly [name: string, value: string | readonly unknown[]] | null {
  if (!isFields(input)) return null;
  for (const name of DESCRIPTIVE_ARGUMENTS) {
    const value = input[name];
    if (typeof value === "string" || Array.isArray(value)) return [name, value];
  }
  return null;
}

/** What a tool call is about, in a few words. A search is about its pattern, and says where it looks. */
export function describeInput(input: unknown): string {
  const found = mainArgument(input)?.[1] ?? "";
  const text = (typeof found === "string" ? found : found.map(String).join(" ")).slice(0, MAX_INPUT);
  const pattern = isFields(input) ? input["pattern"] : undefined;
  const isSearch = typeof pattern === "string" && pattern !== found;
  return withoutWorkspace(isSearch ? `"${pattern.slice(0, MAX_INPUT)}" in ${text}` : text);
}

/** Parameters as texts. A value that is not an object has no name. */
export function fieldsOf(input: unknown): readonly (readonly [key: string, text: string])[] {
  if (input === undefined || input === null) return [];
  if (!isFields(input)) return [["", textOfValue(input)]];
  return Object.entries(input).map(([field, value]) => [field, textOfValue(value)] as const);
}

function textOfValue(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(" ");
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Names of tools of MCP servers start with a prefix that means nothing to people. */
export function toolName(name: string): string {
  return name.replace(/^mcp__/, "");
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Agents name files by their full path. People know them by the path in the repository. */
export function withoutWorkspace(text: string): string {
  return text.replaceAll(/(?:\/[^/\s]+)*\/workspaces\/task_\w+\/[\w-]+(\/|(?=\s|$))/g, (_, slash) =>
    slash === "/" ? "" : ".",
  );
}
