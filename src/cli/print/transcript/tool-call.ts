import { terminalLine, terminalText } from "../../../core/text/terminal-text.ts";
import { fieldsOf, isFields, mainArgument, toolName, withoutWorkspace } from "../../../core/transcript/tool-input.ts";
import { textWidth } from "../terminal/fit-text.ts";
import type { Screen } from "../terminal/style.ts";
import type { Fold } from "./fold.ts";
import { ownLine, quoteTool } from "./quote.ts";

const MAX_NAME = 60;
const MAX_LINE = 200;
const MAX_INPUT = 1_000;
const FOLDED = { head: 6, tail: 0 };

/** The name and the most important parameter on a line of our own, and then all that this line does not show in full. */
export function describeToolCall(
  screen: Screen,
  { name, input }: { readonly name: string; readonly input: unknown },
  fold: Fold,
): string {
  const title = terminalLine(toolName(name), MAX_NAME);
  const fields = fieldsOf(input);
  const key = mainKey(input);
  const value = fields.find(([field]) => field === key)?.[1] ?? "";
  const start = withoutWorkspace(terminalText(value.slice(0, MAX_INPUT)).trim());
  const about = terminalLine(start, MAX_LINE);
  const room = (screen.width ?? Infinity) - textWidth(`▸ ${title} `);
  const isComplete = value.length <= MAX_INPUT && about === start && textWidth(about) <= room;
  const rest = isComplete ? fields.filter(([field]) => field !== key) : fields;
  return [
    ownLine(screen, "cyan", title, about),
    ...rest.map(([field, text]) => quoteTool(screen, describeField(field, fold(text, FOLDED)))),
  ].join("");
}

function describeField(field: string, text: string): string {
  const name = field === "" ? "" : `${terminalLine(field, MAX_NAME)}:`;
  return text.includes("\n") ? `${name}\n${text.replaceAll(/^/gm, "  ")}`.trimStart() : `${name} ${text}`.trim();
}

function mainKey(input: unknown): string | null {
  // The name of an outcome says most about a report.
  return mainArgument(input)?.[0] ?? (isFields(input) && typeof input["outcome"] === "string" ? "outcome" : null);
}
