import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { useRefusal, useSession } from "../../../app/session.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import { collectChange, type ChangedFile, type DiffJson } from "./change.ts";
import { DiffHead } from "./diff-head.tsx";
import { DiffRows, type RowsHandle } from "./diff-rows.tsx";
import { FileTree } from "./file-tree.tsx";
import { MoveOn } from "./move-on.tsx";
import { ReviewBar } from "./review-bar.tsx";
import { listRows, type Layout, type Row } from "./rows.ts";
import { useReviewDraft } from "./use-review-draft.ts";
import { useViewed } from "./use-viewed.ts";
import { useWide } from "./use-wide.ts";
import { refuseComments } from "./refuse-comments.ts";

interface ShownDiffProps {
  readonly task: TaskJson;
  readonly diff: DiffJson;
  readonly reviewed: string | null;
}

/** A change that exists. */
export function ShownDiff({ task, diff, reviewed }: ShownDiffProps) {
  const search = useSearch({ strict: false });
  const session = useSession();
  const review = useReviewDraft(task.id, diff.head_commit);
  const viewed = useViewed(task.id);
  const [layout, setLayout] = useLayout();
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [current, setCurrent] = useState<string | null>(null);
  const rowsRef = useRef<RowsHandle>(null);
  const change = useMemo(() => collectChange(diff, task.reviews), [diff, task.reviews]);
  const isClosed = (file: ChangedFile): boolean => folded.get(file.path) ?? viewed.isViewed(file);
  const closed = change.files.filter(isClosed).map(({ path }) => path);
  const rows = useMemo(
    () => {
      const shut = new Set(closed);
      return listRows(change, {
        layout,
        drafts: review.comments,
        isClosed: ({ path }) => shut.has(path),
        isCut: diff.cut,
      });
    },
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the names say which files are closed
    [change, layout, review.comments, diff.cut, closed.join("\n")],
  );
  const right = useRefusal("approve", "Commenting on a change");
  const refusal = refuseComments(task) ?? right;
  const show = (path: string): void => {
    setFolded((before) => new Map(before).set(path, false));
    rowsRef.current?.showFile(path);
  };
  useDiffKeys(rows, change.files, current, { show, handle: rowsRef });

  // The rows have other heights then.
  const lastLayout = useRef(layout);
  useEffect(() => {
    if (lastLayout.current !== layout && current !== null) rowsRef.current?.showFile(current);
    lastLayout.current = layout;
  }, [layout, current]);

  return (
    <>
      <DiffHead {...{ task, diff, change, reviewed, layout, setLayout, refusal }} />
      <MoveOn {...{ task, review }} head={diff.head_commit} />
      <div className="dwrap">
        <FileTree files={change.files} {...{ current, viewed }} drafts={review.comments} onShow={show} />
        <div className="dbody">
          <DiffRows
            ref={rowsRef}
            {...{ rows, task, review, viewed }}
            author={session?.name ?? "you"}
            canComment={refusal === null}
            target={search["file"] === undefined ? null : { file: search["file"], line: Number(search["line"] ?? 0) }}
            onFold={(file, isOpen) => setFolded((before) => new Map(before).set(file.path, !isOpen))}
            onViewed={(file, isViewed) => {
              viewed.setViewed(file, isViewed);
              setFolded((before) => new Map(before).set(file.path, isViewed));
            }}
            onCurrent={setCurrent}
          />
          <ReviewBar {...{ task, review, refusal }} head={diff.head_commit} />
        </div>
      </div>
    </>
  );
}

/** Two columns need a wide window. */
function useLayout(): readonly [Layout, (layout: Layout) => void] {
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  const isWide = useWide();
  const layout = isWide && search["layout"] === "split" ? "split" : "unified";
  return [
    layout,
    (next) =>
      void navigate({
        to: ".",
        search: (before: object) => ({ ...before, layout: next === "split" ? next : undefined }),
        replace: true,
        resetScroll: false,
      }),
  ];
}

interface KeyTargets {
  readonly show: (path: string) => void;
  readonly handle: React.RefObject<RowsHandle | null>;
}

/** `n` and `p` go through findings and comments, `j` and `k` through files. */
function useDiffKeys(
  rows: readonly Row[],
  files: readonly ChangedFile[],
  current: string | null,
  { show, handle }: KeyTargets,
): void {
  const places = rows.flatMap(({ kind }, index) =>
    kind === "finding" || kind === "remark" || kind === "general" || kind === "draft" ? [index] : [],
  );
  const goToFile = (by: number): void => {
    const at = files.findIndex(({ path }) => path === current);
    const next = files[Math.min(Math.max(at + by, 0), files.length - 1)];
    if (next !== undefined) show(next.path);
  };
  useShortcut({ keys: "n", label: "Next finding or comment", run: () => handle.current?.goTo(places, 1) });
  useShortcut({ keys: "p", label: "Previous finding or comment", run: () => handle.current?.goTo(places, -1) });
  useShortcut({ keys: "j", label: "Next file", run: () => goToFile(1) });
  useShortcut({ keys: "k", label: "Previous file", run: () => goToFile(-1) });
}
