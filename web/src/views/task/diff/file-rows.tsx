import { Bot, ChevronDown, ChevronRight, MessageSquarePlus, TriangleAlert } from "lucide-react";
import { shortHash } from "../../../../../src/core/text/short-hash.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatCount } from "../../../ui/format.ts";
import { Markdown } from "../../../ui/markdown.tsx";
import type { ChangedFile, Finding, Remark } from "./change.ts";
import { showHidden } from "./code-row.tsx";

interface FileHeadProps {
  readonly file: ChangedFile;
  readonly isOpen: boolean;
  readonly isViewed: boolean;
  readonly onToggle: () => void;
  readonly onViewed: (isViewed: boolean) => void;
  readonly onComment: (() => void) | null;
}

export function FileHead({ file, isOpen, isViewed, onToggle, onViewed, onComment }: FileHeadProps) {
  const name = showHidden(file.path);
  return (
    <div className={isOpen ? "file-head" : "file-head shut"} id={fileAnchor(file.path)}>
      <button
        type="button"
        className="fold-button"
        aria-expanded={isOpen}
        aria-label={`Show ${name}`}
        onClick={onToggle}
      >
        {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
      </button>
      <h2 className="name">
        {file.movedFrom !== null && (
          <>
            <bdi>{showHidden(file.movedFrom)}</bdi> <span aria-hidden>→</span>
            <span className="sr"> was moved to </span>{" "}
          </>
        )}
        <bdi>{name}</bdi>
      </h2>
      {tagOf(file) !== null && <span className="tag">{tagOf(file)}</span>}
      <span className="r">
        <Count file={file} />
        {onComment !== null && (
          <button
            type="button"
            className="fold-button"
            aria-label={`Comment on ${name}`}
            title="Comment on this file"
            onClick={onComment}
          >
            <MessageSquarePlus size={14} aria-hidden />
          </button>
        )}
        <label className="check">
          <input type="checkbox" checked={isViewed} onChange={({ target }) => onViewed(target.checked)} />
          <span>
            Viewed<span className="sr">: {name}</span>
          </span>
        </label>
      </span>
    </div>
  );
}

export function fileAnchor(path: string): string {
  return `file-${encodeURIComponent(path)}`;
}

function tagOf({ change, movedFrom, binary }: ChangedFile): string | null {
  if (movedFrom !== null) return "moved";
  if (change === "created") return "new";
  if (change === "deleted") return "deleted";
  return binary ? "binary" : null;
}

export function Count({ file: { insertions, deletions, binary, movedFrom } }: { file: ChangedFile }) {
  if (movedFrom !== null) return null;
  if (binary) return <span className="faint">binary</span>;
  return (
    <span className="nowrap">
      <span className="plus">+{formatCount(insertions)}</span> <span className="minus">−{formatCount(deletions)}</span>
    </span>
  );
}

const SEVERITY_WORDS: Readonly<Record<Finding["severity"], string>> = {
  error: "error of the built-in review",
  warning: "warning of the built-in review",
  note: "note of the built-in review",
};

/** What the built-in review found. The engine says it, so it has no signature. */
export function FindingRow({ finding }: { finding: Finding }) {
  return (
    <div className="full-row find-in">
      <TriangleAlert size={16} aria-hidden className={finding.severity === "error" ? "c-red" : undefined} />
      <div>
        <b className="strong">{finding.rule.replaceAll("_", " ")}</b>, {SEVERITY_WORDS[finding.severity]}.{" "}
        <span dir="auto">{finding.message}</span>
      </div>
    </div>
  );
}

interface RemarkRowProps {
  readonly remark: Remark;
  readonly task: TaskJson;
  /** Whether the row says where the comment belongs. */
  readonly isGeneral?: boolean;
}

/** A comment of a review, with what the author did about it. Comments of agents and people differ by their signature only. */
export function RemarkRow({ remark: { review, round, comment }, task, isGeneral = false }: RemarkRowProps) {
  const agent = task.runs.find(({ id }) => id === review.run)?.agent ?? "an agent";
  const place =
    isGeneral && comment.file !== null ? `, ${comment.file}${comment.line === null ? "" : `:${comment.line}`}` : "";
  return (
    <div className={isGeneral ? "full-row general" : "full-row"}>
      <article className="cmt" aria-label={`Comment by ${review.by ?? agent}`}>
        <header>
          {review.by === null && <Bot size={14} aria-hidden />}
          <b>
            <bdi>{review.by ?? agent}</bdi>
          </b>
          <span>
            {comment.severity}, review {round}
            <bdi>{place}</bdi>
          </span>
          {!review.is_current && review.commit !== null && <span className="end">of {shortHash(review.commit)}</span>}
        </header>
        <div>
          <Markdown text={comment.comment} />
        </div>
        {comment.answer !== null && (
          <div className="answer">
            <span className="faint">What the author did: </span>
            <Markdown text={comment.answer} />
          </div>
        )}
      </article>
    </div>
  );
}
