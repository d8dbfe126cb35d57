/** Part of what the kernel, Node and shells say when a file is closed, and of what the guard says. */
const DENIED =
  /\bEACCES\b|\bEROFS\b|\bEPERM\b|[Pp]ermission denied|[Rr]ead-only file system|[Oo]peration not permitted|outside the workspace |guard of the workspace/;

/**
 * How many tool results in the lines of claude's `stream-json` say that a file was closed to the tool. What is not
 * mounted is not there, which is no denial: agents ask for missing files all day. Never throws, whatever the line.
 */
export function countDenials(lines: Iterable<string>): number {
  let count = 0;
  for (const line of lines) {
    // Most lines are of other kinds; they need no parsing.
    if (line.includes('"tool_result"') && DENIED.test(line)) count += resultsOf(line).filter(isDenial).length;
  }
  return count;
}

interface ToolResult {
  readonly type?: unknown;
  readonly is_error?: unknown;
  readonly content?: unknown;
}

function resultsOf(line: string): readonly ToolResult[] {
  const event = parse(line);
  const content = event?.type === "user" ? event.message?.content : undefined;
  return Array.isArray(content) ? content.filter((block: ToolResult | null) => block?.type === "tool_result") : [];
}

function parse(line: string): { readonly type?: unknown; readonly message?: { readonly content?: unknown } } | null {
  try {
    return JSON.parse(line) as ReturnType<typeof parse>; // every part is looked at before it is used
  } catch {
    return null;
  }
}

/** A result that is no failure may well quote such words: from a log, a manual, a test. */
function isDenial({ is_error: isError, content }: ToolResult): boolean {
  return isError === true && DENIED.test(typeof content === "string" ? content : JSON.stringify(content ?? ""));
}
