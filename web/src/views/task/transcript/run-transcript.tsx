import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import { Button } from "../../../ui/button.tsx";
import { plural } from "../../../ui/format.ts";
import { Empty, ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import { Bar } from "./bar.tsx";
import { Entries, type Folds, type Target } from "./entries.tsx";
import { RunEnd, RunStart } from "./run-facts.tsx";
import { useFollow } from "./use-follow.ts";
import { useMatches } from "./use-matches.ts";
import { useSearch } from "./use-search.ts";
import { useWindow } from "./use-window.ts";

const SMALL_BYTES = 4 * 1024 * 1024;
const TYPING_MS = 250;
const NO_FOLDS: Folds = { allOpen: false, set: new Map() };

export interface RunTranscriptProps {
  readonly task: TaskJson;
  readonly run: RunJson;
  /** The line in the address. */
  readonly line: number | null;
}

/** The transcript of one run. */
export function RunTranscript({ task, run, line }: RunTranscriptProps) {
  const [isRaw, setRaw] = useState(false);
  const view = useRef(line);
  const [first, setFirst] = useState(line);
  const showRaw = (next: boolean): void => {
    setFirst(view.current);
    setRaw(next);
  };
  return <Pages key={String(isRaw)} {...{ task, run, line, first, isRaw }} setRaw={showRaw} viewRef={view} />;
}

interface PagesProps extends RunTranscriptProps {
  readonly isRaw: boolean;
  readonly setRaw: (isRaw: boolean) => void;
  /** Where to start. Null: at the end of a run that continues, else at its start. */
  readonly first: number | null;
  readonly viewRef: { current: number | null };
}

function Pages({ task, run, line, isRaw, setRaw, first, viewRef }: PagesProps) {
  const [isOpen] = useState(run.finished_at === null);
  const place = first ?? (isOpen ? "end" : "start");
  const pages = useWindow({ run: run.id, isRaw, first: place, isOpen });
  const list = useRef<HTMLDivElement>(null);
  const follow = useFollow(list, isOpen && first === null);
  const [folds, setFolds] = useState(NO_FOLDS);
  const { target, show, view, onView } = useTarget({ pages, line, viewRef, stop: follow.stop });
  const { text, query, setText } = useTyped();
  const found = useSearch({ run: run.id, query: query === "" ? null : query, errors: false, isOpen });
  const matches = useMatches(found, { view, show });
  const [wantsErrors, setWantsErrors] = useState(false);
  const isSmall = !pages.isLoading && pages.size <= SMALL_BYTES;
  const errors = useSearch({ run: run.id, query: wantsErrors || isSmall ? "" : null, errors: true, isOpen });
  const errorMatches = useMatches(errors, { view, show });
  useGoToFirstMatch(query, matches.go);
  const toEnd = (): void => {
    if (pages.end < pages.size) pages.open("end");
    follow.follow();
  };
  useShortcut(isOpen ? { keys: ".", label: "Follow the end", run: toEnd } : null);
  const onFold = useCallback(
    (key: string, next: boolean) => setFolds(({ allOpen, set }) => ({ allOpen, set: new Map(set).set(key, next) })),
    [],
  );
  return (
    <div className="transcript">
      <Bar
        {...{ text, isRaw }}
        onText={setText}
        found={query === "" ? null : found}
        position={matches.position}
        onMatch={matches.go}
        errors={wantsErrors || isSmall ? errors : null}
        onError={(step) => {
          setWantsErrors(true);
          errorMatches.go(step);
        }}
        allOpen={folds.allOpen}
        onAllOpen={(allOpen) => setFolds({ allOpen, set: new Map() })}
        onRaw={setRaw}
        onStart={() => {
          follow.stop();
          if (pages.start > 0) pages.open("start");
          window.scrollTo({ top: 0, behavior: "instant" });
        }}
        onEnd={toEnd}
      />
      <div className="ts" role="log" aria-live="off" aria-label={`Transcript of ${run.role ?? run.step}`}>
        <RunStart run={run} pages={pages} />
        {pages.error !== null && (
          <ErrorBanner
            title="The transcript could not be read."
            error={pages.error}
            retry={() => pages.open(pages.entries.length === 0 ? place : pages.start)}
          />
        )}
        {pages.isLoading && <Skeleton />}
        {!pages.isLoading && pages.entries.length === 0 && pages.error === null && (
          <NoOutput run={run} isOpen={isOpen} />
        )}
        <Entries
          {...{ pages, list, folds, onFold, target, onView }}
          task={task.id}
          run={run.short_id}
          agent={run.agent ?? run.step}
          isLive={run.finished_at === null}
          find={query}
        />
        {!pages.isLoading && pages.end >= pages.size && <RunEnd run={run} entries={pages.entries} isRaw={isRaw} />}
        {isOpen && !follow.isFollowing && <NewLines count={pages.arrived} onClick={toEnd} />}
      </div>
    </div>
  );
}

function NoOutput({ run, isOpen }: { run: RunJson; isOpen: boolean }) {
  if (isOpen && run.finished_at === null) return <p className="hint">Nothing was printed yet.</p>;
  if (run.step === "checks")
    return <Empty title="Checks print to logs">Their results and logs are in the tab Checks.</Empty>;
  return <Empty title="This run has no transcript">It printed nothing, or its transcript was removed.</Empty>;
}

/** Counts from the moment when the person scrolled up. */
function NewLines({ count, onClick }: { count: number; onClick: () => void }) {
  const [before] = useState(count);
  const added = count - before;
  return (
    <div className="new-lines">
      <Button size="small" kind="primary" onClick={onClick} shortcut=".">
        <ArrowDown size={14} aria-hidden />
        {added === 0 ? "Follow the end" : plural(added, "new line")}
      </Button>
    </div>
  );
}

/** The searched text follows the typed one when the person pauses. */
function useTyped() {
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), text === "" ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, query, setText };
}

function useGoToFirstMatch(query: string, go: (step: 1) => void): void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  useEffect(() => {
    if (query !== "") latest.current(1);
  }, [query]);
}

interface TargetParams {
  readonly pages: ReturnType<typeof useWindow>;
  readonly line: number | null;
  readonly viewRef: { current: number | null };
  readonly stop: () => void;
}

/** The line that the address or a search leads to. */
function useTarget({ pages, line, viewRef, stop }: TargetParams) {
  const [target, setTarget] = useState<Target | null>(line === null ? null : { offset: line, wish: 0 });
  const { open, indexOf } = pages;
  const show = useCallback(
    (offset: number) => {
      stop();
      setTarget((before) => ({ offset, wish: (before?.wish ?? 0) + 1 }));
      if (indexOf(offset) === null) open(offset);
    },
    [open, indexOf, stop],
  );
  const lastLine = useRef(line);
  useEffect(() => {
    if (line === lastLine.current) return;
    lastLine.current = line;
    if (line !== null) show(line);
  }, [line, show]);
  const view = useCallback(() => viewRef.current ?? 0, [viewRef]);
  const onView = useCallback(
    (offset: number) => {
      viewRef.current = offset;
    },
    [viewRef],
  );
  return { target, show, view, onView };
}
