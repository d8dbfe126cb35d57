import { CircleAlert, FilePen, Hourglass } from "lucide-react";
import { memo } from "react";
import { terminalLine, terminalText } from "../../../../../src/core/text/terminal-text.ts";
import { describeResult } from "../../../../../src/core/transcript/describe-result.ts";
import type { Entry } from "../../../../../src/core/transcript/entry.ts";
import { withoutWorkspace } from "../../../../../src/core/transcript/tool-input.ts";
import { formatCount, formatTime } from "../../../ui/format.ts";
import { Markdown } from "../../../ui/markdown.tsx";
import { Fold } from "./fold.tsx";
import { OutputText } from "./output-text.tsx";
import { ReportBox } from "./report-box.tsx";
import { isOpenAtFirst, Tool } from "./tool-entry.tsx";

/** Rendering longer Markdown takes too long. */
const MAX_MARKDOWN = 20_000;
const MAX_PATH = 500;

export interface EntryContentProps {
  readonly entry: Entry;
  readonly agent: string;
  /** Null: as the kind of entry asks for. */
  readonly isOpen: boolean | null;
  /** A search led here, so nothing is cut. */
  readonly isLong: boolean;
  readonly isLive: boolean;
  readonly onToggle: (key: string, isOpen: boolean) => void;
}

export const EntryContent = memo(function EntryContent(props: EntryContentProps) {
  const { entry, agent, isOpen, isLong, isLive } = props;
  const onToggle = (next: boolean): void => props.onToggle(entry.key, next);
  switch (entry.kind) {
    case "text":
      return <Said text={entry.text} isLong={isLong} />;
    case "thinking":
      return (
        <Fold
          className="fold"
          isOpen={isOpen ?? false}
          onToggle={onToggle}
          summary={`Thinking, ${formatCount(entry.text.length)} characters`}
        >
          {() => (
            <div className="in-fold" dir="auto">
              {terminalText(entry.text)}
            </div>
          )}
        </Fold>
      );
    case "tool":
      return <Tool {...{ entry, isLong, isLive, onToggle }} isOpen={isOpen ?? isOpenAtFirst(entry)} />;
    case "result":
      return (
        <Fold
          className="tool"
          isOpen={isOpen ?? entry.result.failed}
          onToggle={onToggle}
          summary={
            <>
              <span className="nm">Result of an earlier call</span>
              <span className={entry.result.failed ? "res bad" : "res"}>{describeResult(entry.result)}</span>
            </>
          }
        >
          {() => <OutputText text={entry.result.output.trimEnd()} label="Result of an earlier call" isLong={isLong} />}
        </Fold>
      );
    case "report":
      return <ReportBox agent={agent} value={entry.value} isValid={entry.isValid} />;
    case "output":
      return <Output {...{ entry, isLong }} />;
    default:
      return <Fact entry={entry} />;
  }
});

function Said({ text, isLong }: { text: string; isLong: boolean }) {
  return (
    <div className="say">
      {text.length > MAX_MARKDOWN ? (
        <OutputText text={text} label="Text of the agent" isLong={isLong} />
      ) : (
        <Markdown text={terminalText(text)} />
      )}
    </div>
  );
}

function Output({ entry, isLong }: { entry: Extract<Entry, { kind: "output" }>; isLong: boolean }) {
  const source = entry.command === "agent" ? entry.from : entry.command;
  return (
    <div className="out">
      <span className="out-from">{source}</span>
      <OutputText text={entry.text} label={`Output of ${source}`} isLong={isLong} />
    </div>
  );
}

type FactEntry = Extract<Entry, { kind: "file" | "limit" | "session" | "error" }>;

function Fact({ entry }: { entry: FactEntry }) {
  switch (entry.kind) {
    case "file":
      return (
        <span className="chg">
          <FilePen size={14} aria-hidden />
          <code dir="ltr">{terminalLine(withoutWorkspace(entry.path), MAX_PATH)}</code> {entry.change}
        </span>
      );
    case "limit":
      return (
        <span className="chg">
          <Hourglass size={14} aria-hidden />
          {entry.limit === "usage" ? "Usage limit reached" : "Rate limit reached"}
          {entry.resetsAt !== null && `, resets ${formatTime(entry.resetsAt)}`}
        </span>
      );
    case "session":
      return <SessionLine session={entry.session} />;
    case "error":
      return (
        <div className="err-line">
          <CircleAlert size={14} aria-hidden />
          <span dir="auto">
            <span className="sr">Error: </span>
            {terminalText(entry.message)}
          </span>
        </div>
      );
  }
}

function SessionLine({ session }: { session: Extract<Entry, { kind: "session" }>["session"] }) {
  const { id, version, model, tools = [], directory } = session;
  const parts = [
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    `session ${id}`,
    ...(tools.length === 0 ? [] : [`${tools.length} tools`]),
  ];
  return (
    <span className="hint break" title={tools.join(", ") || undefined} dir="auto">
      {terminalLine(parts.join(", "), MAX_PATH)}
      {directory !== undefined && `, in ${terminalLine(directory, MAX_PATH)}`}
    </span>
  );
}
