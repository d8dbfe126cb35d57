import { findChangedPart } from "../../../../../src/core/change/changed-part.ts";
import type { ColoredPatch, Token } from "./highlight.ts";
import type { CodeLine } from "./pair-lines.ts";
import type { Row } from "./rows.ts";

interface CodeRowProps {
  readonly colors: ColoredPatch | null;
  /** Null if no comment can be written now. */
  readonly onComment: ((line: number) => void) | null;
  /** Whether the keyboard reaches this line with Tab. The arrow keys lead to the others. */
  readonly isStop: boolean;
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const TINTS = { same: "", added: " add", removed: " del" } as const;

/** A line with the numbers of both sides. */
export function LineRow({ row, ...props }: CodeRowProps & { row: Extract<Row, { kind: "line" }> }) {
  const { line, file } = row;
  const tint = TINTS[line.kind];
  return (
    <div className="dl-code">
      <span className={`no${tint}`}>{line.oldLine}</span>
      <span className={`no${tint}`}>
        <LineNumber line={line.newLine} path={file.path} {...props} />
      </span>
      <Code line={line} side={line.kind === "removed" ? "old" : "new"} colors={props.colors} />
    </div>
  );
}

/** The old line on the left, the new one on the right. */
export function PairRow({ row, ...props }: CodeRowProps & { row: Extract<Row, { kind: "pair" }> }) {
  const { left, right, file } = row;
  return (
    <div className="dl-code dl-split">
      <span className={`no${left === null ? " none" : TINTS[left.kind]}`}>{left?.oldLine}</span>
      {left === null ? <span className="cd none" /> : <Code line={left} side="old" colors={props.colors} />}
      <span className={`no${right === null ? " none" : TINTS[right.kind]}`}>
        <LineNumber line={right?.newLine ?? null} path={file.path} {...props} />
      </span>
      {right === null ? <span className="cd none" /> : <Code line={right} side="new" colors={props.colors} />}
    </div>
  );
}

function LineNumber({
  line,
  path,
  onComment,
  isStop,
}: Omit<CodeRowProps, "colors"> & { line: number | null; path: string }) {
  if (line === null || onComment === null) return line;
  return (
    <button
      type="button"
      className="ln"
      tabIndex={isStop ? 0 : -1}
      data-line={line}
      aria-label={`Comment on line ${line} of ${path}`}
      onClick={() => onComment(line)}
    >
      {line}
    </button>
  );
}

function Code({ line, side, colors }: { line: CodeLine; side: "old" | "new"; colors: ColoredPatch | null }) {
  const tokens = colors?.[side][side === "old" ? line.oldIndex : line.newIndex];
  // The library may read a strange patch differently, and then its colours belong to other lines.
  const isSame = tokens !== undefined && tokens.map(({ text }) => text).join("") === line.text;
  const pieces = isSame ? tokens : [{ text: line.text, className: null }];
  const part = line.partner === null ? null : findChangedPart(line.text, line.partner);
  return (
    <span className={`cd${TINTS[line.kind]}`}>
      <span className="sign">{SIGNS[line.kind]}</span>
      <bdi dir="ltr">
        {part === null ? (
          pieces.map(renderToken)
        ) : (
          <>
            {cut(pieces, 0, part.start).map(renderToken)}
            <b>{cut(pieces, part.start, part.end).map(renderToken)}</b>
            {cut(pieces, part.end, line.text.length).map(renderToken)}
          </>
        )}
      </bdi>
    </span>
  );
}

function renderToken({ text, className }: Token, index: number) {
  return className === null ? (
    showHidden(text)
  ) : (
    <span key={index} className={className}>
      {showHidden(text)}
    </span>
  );
}

/** Characters that change the order of a line or cannot be seen would hide what the code does. */
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;

export function showHidden(text: string): string {
  return text.replaceAll(HIDDEN, (found) => `<U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

function cut(tokens: readonly Token[], from: number, to: number): readonly Token[] {
  let at = 0;
  return tokens.flatMap((token) => {
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, token.text.length);
    at += token.text.length;
    return start < end ? [{ ...token, text: token.text.slice(start, end) }] : [];
  });
}
