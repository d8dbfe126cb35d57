import { Bot, FileText, Globe, type LucideIcon, Pencil, Search, SquareTerminal, Wrench } from "lucide-react";
import { createElement, useMemo } from "react";
import { terminalLine } from "../../../../../src/core/text/terminal-text.ts";
import { describeEdit, type Edit } from "../../../../../src/core/transcript/describe-edit.ts";
import { describeResult } from "../../../../../src/core/transcript/describe-result.ts";
import type { Entry, ToolResult } from "../../../../../src/core/transcript/entry.ts";
import {
  describeInput,
  fieldsOf,
  mainArgument,
  toolName,
  withoutWorkspace,
} from "../../../../../src/core/transcript/tool-input.ts";
import { Fold } from "./fold.tsx";
import { OutputText } from "./output-text.tsx";
import { Pre } from "./pre.tsx";

const MAX_OPEN_EDIT = 20;
const MAX_EDIT_LINES = 400;
const MAX_NAME = 60;
const MAX_ABOUT = 300;

type ToolEntry = Extract<Entry, { kind: "tool" }>;

const ICONS: readonly (readonly [RegExp, LucideIcon])[] = [
  [/edit|write|patch|replace|create_file/i, Pencil],
  [/bash|shell|exec|command|terminal|^sh$/i, SquareTerminal],
  [/grep|glob|search|find|^ls$|list/i, Search],
  [/web|fetch|url|http/i, Globe],
  [/read|view|cat|open/i, FileText],
  [/task|agent/i, Bot],
];

function iconOf(name: string): LucideIcon {
  return ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? Wrench;
}

/** Whether a call is open before anyone touched it. */
export function isOpenAtFirst({ name, input, result }: ToolEntry): boolean {
  if (result?.failed === true) return true;
  const edit = describeEdit(name, input);
  return edit !== null && edit.lines.length <= MAX_OPEN_EDIT;
}

export interface ToolProps {
  readonly entry: ToolEntry;
  readonly isOpen: boolean;
  readonly isLong: boolean;
  /** Whether a result may still come. */
  readonly isLive: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** One call on one line: the name of the tool, what it is about, and its result. */
export function Tool({ entry, isOpen, isLong, isLive, onToggle }: ToolProps) {
  const { name, input, result } = entry;
  const edit = useMemo(() => describeEdit(name, input), [name, input]);
  const title = terminalLine(toolName(name), MAX_NAME);
  return (
    <Fold
      className="tool"
      isOpen={isOpen}
      onToggle={onToggle}
      summary={
        <>
          {createElement(iconOf(name), { size: 14, "aria-hidden": true })}
          <span className="nm">{title}</span>
          <span className="arg clip" dir="ltr">
            {terminalLine(describeInput(input), MAX_ABOUT)}
          </span>
          <ResultWords result={result} edit={edit} isLive={isLive} />
        </>
      }
    >
      {() => (
        <>
          {edit === null ? <Parameters input={input} name={title} /> : <EditLines edit={edit} name={title} />}
          {result !== null && result.output.trim() !== "" && (edit === null || result.failed) && (
            <OutputText text={result.output.trimEnd()} label={`Result of ${title}`} isLong={isLong} />
          )}
        </>
      )}
    </Fold>
  );
}

function ResultWords({ result, edit, isLive }: { result: ToolResult | null; edit: Edit | null; isLive: boolean }) {
  if (result === null) return <span className="res">{isLive ? "running" : "no result"}</span>;
  if (edit !== null && !result.failed)
    return (
      <span className="res">
        +{edit.added} −{edit.removed}
      </span>
    );
  return (
    <span className={result.failed ? "res bad" : "res"} dir="auto">
      {terminalLine(describeResult(result), MAX_NAME)}
    </span>
  );
}

/** All parameters that the line does not show in full. */
function Parameters({ input, name }: { input: unknown; name: string }) {
  const main = mainArgument(input)?.[0];
  const rest = fieldsOf(input).filter(
    ([field, text]) =>
      (field !== main && field !== "pattern") || text.includes("\n") || withoutWorkspace(text).length > MAX_NAME,
  );
  if (rest.length === 0) return null;
  return (
    <dl className="args">
      {rest.map(([field, text]) => (
        <div key={field}>
          <dt>{field === "" ? "input" : field}</dt>
          <dd>
            <OutputText text={text} label={`${field} of ${name}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LINE_CLASSES = { "+": "a-g", "-": "a-r", " ": "" } as const;

function EditLines({ edit, name }: { edit: Edit; name: string }) {
  const hidden = edit.lines.length - MAX_EDIT_LINES;
  return (
    <>
      <Pre label={`Change by ${name}`}>
        {edit.lines.slice(0, MAX_EDIT_LINES).map(({ sign, text }, index) => (
          <span key={index} className={LINE_CLASSES[sign]}>
            {sign} {text}
            {"\n"}
          </span>
        ))}
      </Pre>
      {hidden > 0 && <div className="ansi-more faint">{hidden} more lines. The tab Diff has all changes.</div>}
    </>
  );
}
