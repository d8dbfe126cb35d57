import { ArrowDownToLine, ArrowUpToLine, ChevronDown, ChevronUp, CircleX } from "lucide-react";
import { useId, useRef } from "react";
import { useShortcut } from "../../../app/shortcuts.ts";
import { Button } from "../../../ui/button.tsx";
import { formatCount } from "../../../ui/format.ts";
import type { Search } from "./use-search.ts";

export interface BarProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly found: Search | null;
  /** Position of the match that is shown. Null before one was shown. */
  readonly position: number | null;
  readonly onMatch: (step: 1 | -1) => void;
  readonly errors: Search | null;
  readonly onError: (step: 1 | -1) => void;
  readonly allOpen: boolean;
  readonly onAllOpen: (allOpen: boolean) => void;
  readonly isRaw: boolean;
  readonly onRaw: (isRaw: boolean) => void;
  readonly onStart: () => void;
  readonly onEnd: () => void;
}

/** Stays at the top while the transcript scrolls. */
export function Bar(props: BarProps) {
  const { text, onText, found, onMatch, errors, onError, allOpen, onAllOpen, isRaw, onRaw } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useShortcut({ keys: "/", label: "Find in the transcript", run: () => field.current?.select() });
  useShortcut({ keys: "n", label: "Next error", run: () => onError(1) });
  useShortcut({ keys: "p", label: "Previous error", run: () => onError(-1) });
  const hasMatches = (found?.matches.length ?? 0) > 0;
  return (
    <div className="tr-bar">
      <label className="sr" htmlFor={id}>
        Find in this transcript
      </label>
      <input
        ref={field}
        id={id}
        className="in"
        type="search"
        value={text}
        placeholder="Find in this transcript"
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        onChange={({ target }) => onText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onMatch(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") {
            onText("");
            event.currentTarget.blur();
          }
        }}
      />
      {found !== null && (
        <span className="faint" role="status">
          {describeMatches(found, props.position)}
        </span>
      )}
      {hasMatches && (
        <span className="flex">
          <Button size="small" isIcon aria-label="Previous match" onClick={() => onMatch(-1)}>
            <ChevronUp size={14} aria-hidden />
          </Button>
          <Button size="small" isIcon aria-label="Next match" onClick={() => onMatch(1)}>
            <ChevronDown size={14} aria-hidden />
          </Button>
        </span>
      )}
      <Button
        size="small"
        onClick={() => onError(1)}
        refusal={errors?.isComplete === true && errors.matches.length === 0 ? "The transcript has no errors." : null}
      >
        <CircleX size={14} aria-hidden />
        Next error {errors !== null && <span className="faint">{countOf(errors)}</span>}
      </Button>
      <span className="end flex">
        <Button size="small" kind="quiet" isIcon aria-label="To the start" title="To the start" onClick={props.onStart}>
          <ArrowUpToLine size={14} aria-hidden />
        </Button>
        <Button size="small" kind="quiet" isIcon aria-label="To the end" title="To the end" onClick={props.onEnd}>
          <ArrowDownToLine size={14} aria-hidden />
        </Button>
        <Button size="small" kind="quiet" aria-pressed={allOpen} onClick={() => onAllOpen(!allOpen)}>
          {allOpen ? "Fold all" : "Unfold all"}
        </Button>
        <Button size="small" kind="quiet" aria-pressed={isRaw} onClick={() => onRaw(!isRaw)}>
          Raw
        </Button>
      </span>
    </div>
  );
}

function describeMatches(found: Search, position: number | null): string {
  if (found.error !== null) return `The search failed: ${found.error.message}`;
  const total = countOf(found);
  if (found.matches.length === 0) return found.isComplete ? "No match" : "Searching…";
  return position === null ? `${total} found` : `${formatCount(position + 1)} of ${total}`;
}

function countOf({ matches, isComplete }: Search): string {
  return `${formatCount(matches.length)}${isComplete ? "" : "…"}`;
}
