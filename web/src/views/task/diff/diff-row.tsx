import type { ColoredPatch } from "./highlight.ts";
import { LineRow, PairRow } from "./code-row.tsx";
import type { DiffRowsProps } from "./diff-rows.tsx";
import { DraftRow } from "./draft-row.tsx";
import { FileHead, FindingRow, RemarkRow } from "./file-rows.tsx";
import type { Row } from "./rows.ts";

type Props = Omit<DiffRowsProps, "ref" | "rows" | "target" | "onCurrent"> & {
  readonly row: Row;
  readonly colors: ColoredPatch | null;
  readonly isStop: boolean;
};

export function DiffRow({ row, colors, isStop, task, review, viewed, author, canComment, onFold, onViewed }: Props) {
  switch (row.kind) {
    case "file":
      return (
        <FileHead
          file={row.file}
          isOpen={row.isOpen}
          isViewed={viewed.isViewed(row.file)}
          onToggle={() => onFold(row.file, !row.isOpen)}
          onViewed={(isViewed) => onViewed(row.file, isViewed)}
          onComment={canComment && row.isOpen ? () => review.start(row.file.path, null) : null}
        />
      );
    case "hunk":
      return (
        <div className="hunk-row">
          {row.hunk.range} <bdi dir="ltr">{row.hunk.section}</bdi>
          {row.hunk.noNewline.length > 0 && <span className="faint">, no line break at the end of the file</span>}
        </div>
      );
    case "line":
    case "pair": {
      const { file } = row;
      const code = { colors, isStop, onComment: canComment ? (line: number) => review.start(file.path, line) : null };
      return row.kind === "line" ? <LineRow row={row} {...code} /> : <PairRow row={row} {...code} />;
    }
    case "finding":
      return <FindingRow finding={row.finding} />;
    case "remark":
      return <RemarkRow remark={row.remark} task={task} />;
    case "general":
      return <RemarkRow remark={row.remark} task={task} isGeneral />;
    case "draft":
      return <DraftRow draft={row.draft} review={review} author={author} />;
    case "note":
      return <div className="full-row faint">{row.text}</div>;
    case "end":
      return <div className="file-end" />;
  }
}
