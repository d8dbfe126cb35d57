import { useWindowVirtualizer, type VirtualItem, type Virtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import type { ChangedFile } from "./change.ts";
import { DiffRow } from "./diff-row.tsx";
import type { Row } from "./rows.ts";
import type { ReviewDraft } from "./use-review-draft.ts";
import type { Viewed } from "./use-viewed.ts";
import { useHighlight } from "./use-highlight.ts";

export interface RowsHandle {
  showFile(path: string): void;
  /** Goes to the next (1) or previous (-1) of these rows. */
  goTo(places: readonly number[], by: 1 | -1): void;
}

export interface DiffRowsProps {
  readonly ref: Ref<RowsHandle>;
  readonly rows: readonly Row[];
  readonly task: TaskJson;
  readonly review: ReviewDraft;
  readonly viewed: Viewed;
  readonly author: string;
  readonly canComment: boolean;
  /** From the address. */
  readonly target: { readonly file: string; readonly line: number } | null;
  readonly onFold: (file: ChangedFile, isOpen: boolean) => void;
  readonly onViewed: (file: ChangedFile, isViewed: boolean) => void;
  /** The file at the top of the window. */
  readonly onCurrent: (path: string | null) => void;
}

const HEIGHTS: Readonly<Partial<Record<Row["kind"], number>>> = { line: 20, pair: 20, hunk: 26, file: 34, end: 14 };
const OTHER_HEIGHT = 72;

/** The rows of a diff of any length. Only those in view are in the document. */
export function DiffRows(props: DiffRowsProps) {
  const { rows, target, onCurrent, ref } = props;
  const list = useRef<HTMLDivElement>(null);
  const margin = useTop(list);
  const [stop, setStop] = useState<string | null>(null);
  const focusNext = useRef<number | null>(null);
  const lastPlace = useRef(-1);
  // oxlint-disable-next-line react/incompatible-library -- the page does not use the React Compiler
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count: rows.length,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? "line"] ?? OTHER_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    scrollMargin: margin,
  });
  const items = virtual.getVirtualItems();
  useHandle(ref, { rows, virtual, lastPlace });
  useTarget(rows, target, virtual);

  const first = rows[findTop(items, virtual.scrollOffset ?? 0)]?.file?.path ?? null;
  useEffect(() => onCurrent(first), [first, onCurrent]);
  const shown = new Map(
    items.flatMap(({ index }) => {
      const file = rows[index]?.file;
      return file == null ? [] : [[file.path, file] as const];
    }),
  );
  const colorsOf = useHighlight([...shown.values()]);

  useEffect(() => {
    if (focusNext.current === null) return;
    const button = list.current?.querySelector<HTMLElement>(`[data-index="${focusNext.current}"] .ln`);
    if (button == null) return;
    focusNext.current = null;
    button.focus({ preventScroll: true });
  });
  const move = (event: KeyboardEvent<HTMLDivElement>): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const at = event.target instanceof HTMLElement && event.target.matches(".ln") ? indexOf(event.target) : null;
    const next = by === 0 || at === null ? null : findLine(rows, at, by);
    if (next === null) return;
    event.preventDefault();
    focusNext.current = next;
    setStop(rows[next]?.key ?? null);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  const stopKey = findStop(rows, items, stop);

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrow keys move between the line buttons in it
    <div ref={list} className="diff-rows" style={{ height: virtual.getTotalSize() }} onKeyDown={move}>
      {items.map((item) => {
        const row = rows[item.index];
        if (row === undefined) return null;
        return (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className="diff-row"
            style={{ transform: `translateY(${item.start - margin}px)` }}
          >
            <DiffRow
              {...props}
              row={row}
              colors={row.file === null ? null : colorsOf(row.file)}
              isStop={row.key === stopKey}
            />
          </div>
        );
      })}
    </div>
  );
}

/** The distance of an element from the top of the page. It changes with everything above. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (element.current !== null) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return top;
}

function indexOf(element: HTMLElement): number | null {
  const index = element.closest<HTMLElement>("[data-index]")?.dataset["index"];
  return index === undefined ? null : Number(index);
}

/** The next row in this direction with a line of the new file. */
function findLine(rows: readonly Row[], from: number, by: number): number | null {
  for (let at = from + by; at >= 0 && at < rows.length; at += by) if (hasNewLine(rows[at])) return at;
  return null;
}

function hasNewLine(row: Row | undefined): boolean {
  return (row?.kind === "line" && row.line.newLine !== null) || (row?.kind === "pair" && row.right?.newLine != null);
}

/** Tab reaches one line: the last one that had the focus, or the first in view. */
function findStop(rows: readonly Row[], items: readonly VirtualItem[], last: string | null): string | null {
  const lines = items.flatMap(({ index }) => (hasNewLine(rows[index]) ? (rows[index]?.key ?? []) : []));
  return last !== null && lines.includes(last) ? last : (lines[0] ?? null);
}

function findTop(items: readonly VirtualItem[], offset: number): number {
  return (items.find(({ end }) => end > offset + 8) ?? items[0])?.index ?? 0;
}

interface HandleParts {
  readonly rows: readonly Row[];
  readonly virtual: Virtualizer<Window, HTMLDivElement>;
  readonly lastPlace: { current: number };
}

function useHandle(ref: Ref<RowsHandle>, { rows, virtual, lastPlace }: HandleParts): void {
  useImperativeHandle(ref, () => ({
    showFile(path) {
      const index = rows.findIndex(({ kind, file }) => kind === "file" && file?.path === path);
      if (index !== -1) virtual.scrollToIndex(index, { align: "start" });
    },
    goTo(places, by) {
      const next =
        by === 1
          ? (places.find((place) => place > lastPlace.current) ?? places[0])
          : (places.findLast((place) => place < lastPlace.current) ?? places.at(-1));
      if (next === undefined) return;
      lastPlace.current = next;
      virtual.scrollToIndex(next, { align: "center" });
    },
  }));
}

/** Scrolls to the line in the address, once. */
function useTarget(
  rows: readonly Row[],
  target: DiffRowsProps["target"],
  virtual: Virtualizer<Window, HTMLDivElement>,
): void {
  const name = target === null ? null : `${target.file}:${target.line}`;
  const done = useRef<string | null>(null);
  useEffect(() => {
    if (target === null || name === null || done.current === name) return;
    const inFile = (row: Row): boolean => row.file?.path === target.file;
    const line = rows.findIndex(
      (row) =>
        inFile(row) &&
        ((row.kind === "line" && row.line.newLine === target.line) ||
          (row.kind === "pair" && row.right?.newLine === target.line)),
    );
    const index = line === -1 ? rows.findIndex((row) => row.kind === "file" && inFile(row)) : line;
    if (index === -1) return;
    done.current = name;
    virtual.scrollToIndex(index, { align: line === -1 ? "start" : "center" });
  }, [rows, target, name, virtual]);
}
