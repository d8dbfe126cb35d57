import { Link } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, type RefObject, useEffect, useLayoutEffect, useState } from "react";
import type { Entry } from "../../../../../src/core/transcript/entry.ts";
import { formatClock, formatFullTime } from "../../../ui/format.ts";
import { EntryContent } from "./entry-view.tsx";
import { useHighlight } from "./highlight.ts";
import { COVERED_PX, useReveal } from "./use-reveal.ts";
import type { TranscriptWindow } from "./use-window.ts";

const HEIGHTS: Readonly<Record<Entry["kind"], number>> = {
  text: 54,
  thinking: 32,
  tool: 42,
  result: 42,
  file: 32,
  limit: 32,
  session: 32,
  report: 76,
  error: 32,
  output: 120,
};
/** Pages are read before a person reaches them. */
const NEAR = 12;
export interface Folds {
  readonly allOpen: boolean;
  readonly set: ReadonlyMap<string, boolean>;
}

export interface EntriesProps {
  readonly pages: TranscriptWindow;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly task: string;
  readonly run: string;
  readonly agent: string;
  readonly isLive: boolean;
  readonly folds: Folds;
  readonly onFold: (key: string, isOpen: boolean) => void;
  /** The line that an address or a search leads to. */
  readonly target: Target | null;
  readonly find: string;
  /** Called with the offset of the first line that is in view. */
  readonly onView: (offset: number) => void;
}

export interface Target {
  readonly offset: number;
  /** Differs for each wish, so that a person can go to the same line again. */
  readonly wish: number;
}

/** The entries in view and some around them. */
export function Entries(props: EntriesProps) {
  const { pages, list, target, find, onView } = props;
  const { entries, start, end, size } = pages;
  const margin = useTopOf(list);
  // oxlint-disable-next-line react/incompatible-library -- the page does not use the React Compiler
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: (index) => HEIGHTS[entries[index]?.kind ?? "text"],
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 10,
    scrollMargin: margin,
    scrollPaddingStart: COVERED_PX,
    // Keeps what is in view in its place when earlier entries are added.
    anchorTo: "end",
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { readBefore, readAfter } = pages;
  useEffect(() => {
    if (entries.length === 0) return;
    if (first < NEAR && start > 0) readBefore();
    if (last >= entries.length - NEAR && end < size) readAfter();
  }, [first, last, entries.length, start, end, size, readBefore, readAfter]);

  const top = entries[virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + COVERED_PX)?.index ?? 0];
  useEffect(() => {
    if (top !== undefined) onView(top.offset);
  }, [top, onView]);

  const targetIndex = target === null ? null : pages.indexOf(target.offset);
  const targetKey = targetIndex === null ? null : (entries[targetIndex]?.key ?? null);
  useReveal({
    list,
    index: targetIndex,
    key: targetKey,
    wish: target?.wish ?? 0,
    find,
    scrollTo: (index, align) => virtualizer.scrollToIndex(index, { align }),
  });
  useHighlight(find, list.current, items);

  return (
    <div ref={list} className="entries" style={{ height: virtualizer.getTotalSize() }}>
      {items.map(({ index, key, start: itemTop }) => {
        const entry = entries[index];
        if (entry === undefined) return null;
        return (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            data-key={entry.key}
            className={entry.key === targetKey ? "ln hit" : "ln"}
            style={{ transform: `translateY(${itemTop - margin}px)` }}
          >
            <EntryTime offset={entry.offset} at={entry.at} task={props.task} run={props.run} />
            <div className="ln-body">
              <EntryContent
                entry={entry}
                agent={props.agent}
                isOpen={isOpen(props.folds, entry, find !== "" && entry.key === targetKey)}
                isLong={find !== "" && entry.key === targetKey}
                isLive={props.isLive}
                onToggle={props.onFold}
              />
            </div>
          </div>
        );
      })}
    </div>
  );
}

function isOpen({ set, allOpen }: Folds, { key }: Entry, isFound: boolean): boolean | null {
  return set.get(key) ?? (allOpen || isFound ? true : null);
}

interface EntryTimeProps {
  readonly offset: number;
  readonly at: string;
  readonly task: string;
  readonly run: string;
}

/** A link to the line. */
const EntryTime = memo(function EntryTime({ offset, at, task, run }: EntryTimeProps) {
  return (
    <Link
      className="at"
      to="/tasks/$id/$tab"
      params={{ id: task, tab: "transcript" }}
      search={{ run, line: String(offset) }}
      replace
      resetScroll={false}
      activeProps={{}}
      title={`${formatFullTime(at)}. Link to this line.`}
    >
      <time dateTime={at}>{formatClock(at)}</time>
    </Link>
  );
});

/** The distance of the list from the top of the page, which changes with what is above it. */
function useTopOf(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      const element = list.current;
      if (element !== null) setTop(Math.round(element.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
