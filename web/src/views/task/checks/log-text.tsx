import { CircleX, Link2 } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { CheckPlace } from "../../../../../src/core/task/running-check.ts";
import { terminalText } from "../../../../../src/core/text/terminal-text.ts";
import { api } from "../../../api/client.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import { renderAnsi } from "../../../ui/ansi.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { findErrorLines } from "./find-errors.ts";
import { LogLine } from "./log-line.tsx";

interface LogTextProps {
  readonly label: string;
  readonly text: string;
  /** Byte offset of the text in the whole log. */
  readonly start: number;
  readonly source: {
    readonly task: string;
    readonly run: string;
    readonly logRun: string;
    readonly name: string;
    readonly place: CheckPlace;
  };
  /** The log itself was removed, so this is only the part that was kept. */
  readonly isPart: boolean;
  /** The person chose this check, so its output is scrolled into view. */
  readonly isAsked: boolean;
  readonly hasFailed: boolean;
}

/** The lines of a log with their numbers and colours, and a way from error to error. */
export function LogText({ label, text, start, source, isPart, isAsked, hasFailed }: LogTextProps) {
  const [older, setOlder] = useState({ text: "", start });
  const [problem, setProblem] = useState<Error | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const whole = older.text + text;
  const lines = useMemo(() => renderAnsi(whole.replace(/\n$/, "")), [whole]);
  const errors = useMemo(() => (hasFailed ? findErrorLines(terminalText(whole).split("\n")) : []), [whole, hasFailed]);
  const [at, setAt] = useState(0);
  const current = errors[at] ?? null;

  useEffect(() => {
    if (current !== null) scrollTo(list.current, current, isAsked ? "page" : "list");
  }, [current, isAsked]);

  const step = (by: number): void => {
    setAt((at + by + errors.length) % errors.length);
    list.current?.focus({ preventScroll: true });
  };
  useShortcut(errors.length > 1 ? { keys: "n", label: "Next error of the check", run: () => step(1) } : null);
  useShortcut(errors.length > 1 ? { keys: "p", label: "Previous error of the check", run: () => step(-1) } : null);

  async function loadOlder(): Promise<void> {
    setProblem(null);
    try {
      const part = await api.call("GET /runs/:id/checks/:name/log", {
        params: { id: source.logRun, name: source.name },
        query: { on: source.place, before: older.start },
      });
      setOlder({ text: part.text + older.text, start: part.start });
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
    }
  }

  if (whole.trim() === "") return <p className="log-note">It printed nothing.</p>;
  return (
    <>
      <div className="log-bar">
        {errors.length > 0 && (
          <Button size="small" onClick={() => step(1)} shortcut={errors.length > 1 ? "N" : undefined}>
            <CircleX size={14} aria-hidden />
            Error {at + 1} of {errors.length}
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={() => void copyLink(source)}>
          <Link2 size={14} aria-hidden />
          Copy link
        </Button>
        {older.start > 0 && (
          <Button size="small" onClick={() => void loadOlder()}>
            Load earlier output
          </Button>
        )}
        {isPart && <span className="hint">The whole output was removed. This is the part that was kept.</span>}
      </div>
      {problem !== null && <ErrorBanner title="Earlier output could not be read." error={problem} />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard has to scroll it */}
      <ol tabIndex={0} aria-label={label} ref={list} dir="ltr">
        {lines.map((html, index) => (
          <LogLine
            // oxlint-disable-next-line react/no-array-index-key -- a line has no other identity than its place
            key={index - lines.length}
            html={html}
            number={older.start === 0 ? index + 1 : null}
            isError={errors.includes(index)}
            isCurrent={index === current}
          />
        ))}
      </ol>
    </>
  );
}

/** `page`: the whole page moves to the line. `list`: only the log does, because the person looks at something else. */
function scrollTo(list: HTMLElement | null, index: number, how: "page" | "list"): void {
  const line = list?.children[index];
  if (list === null || !(line instanceof HTMLElement)) return;
  list.scrollTop = line.offsetTop - list.clientHeight / 3;
  if (how === "page") line.scrollIntoView({ block: "nearest" });
}

async function copyLink({ task, run, name }: LogTextProps["source"]): Promise<void> {
  const address = `${location.origin}/tasks/${task}/checks?${new URLSearchParams({ run, check: name }).toString()}`;
  try {
    await navigator.clipboard.writeText(address);
    showToast("Copied the link to this output.");
  } catch {
    showToast("The browser does not allow copying here. The address bar has the link."); // only secure origins may
  }
}
