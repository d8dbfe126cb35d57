import { useEffect, useId, useRef } from "react";
import { SEVERITIES } from "../../../../../src/core/task/documents/review.ts";
import { Button } from "../../../ui/button.tsx";
import { showHidden } from "./code-row.tsx";
import type { LineDraft, ReviewDraft } from "./use-review-draft.ts";

interface DraftRowProps {
  readonly draft: LineDraft;
  readonly review: ReviewDraft;
  readonly author: string;
}

/** A comment that was not sent yet. */
export function DraftRow({ draft, review, author }: DraftRowProps) {
  const place = draft.line === null ? "the file" : `line ${draft.line}`;
  return (
    <div className="full-row">
      <section className="cmt" aria-label={`Your comment on ${place} of ${showHidden(draft.file)}`}>
        <header>
          <b>
            <bdi>{author}</bdi>
          </b>
          <span>
            {draft.isOpen ? "new comment" : draft.severity}, {place}
          </span>
          {!draft.isOpen && <span className="end">not sent</span>}
        </header>
        {draft.isOpen ? <Editor {...{ draft, review }} /> : <Written {...{ draft, review }} />}
      </section>
    </div>
  );
}

function Written({ draft, review }: Omit<DraftRowProps, "author">) {
  return (
    <div>
      <p className="said" dir="auto">
        {draft.text}
      </p>
      <div className="flex wrap">
        <Button size="small" onClick={() => review.change(draft.id, { isOpen: true })}>
          Edit
        </Button>
        <Button size="small" kind="quiet" onClick={() => review.discard(draft.id)}>
          Discard
        </Button>
      </div>
    </div>
  );
}

function Editor({ draft, review }: Omit<DraftRowProps, "author">) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const isEmpty = draft.text.trim() === "";
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    // After the row has its place.
    const frame = requestAnimationFrame(() => field.current?.closest(".cmt")?.scrollIntoView({ block: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, []);
  const add = (): void => {
    if (!isEmpty) review.change(draft.id, { isOpen: false });
  };
  return (
    <div>
      <label className="sr" htmlFor={id}>
        Comment
      </label>
      <textarea
        ref={field}
        id={id}
        className="in"
        rows={3}
        dir="auto"
        maxLength={20_000}
        placeholder="What should be different here?"
        value={draft.text}
        onChange={({ target }) => review.change(draft.id, { text: target.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            event.stopPropagation();
            add();
          } else if (event.key === "Escape" && isEmpty) {
            event.preventDefault();
            review.discard(draft.id);
          }
        }}
      />
      <div className="flex wrap draft-acts">
        <Severity value={draft.severity} onChange={(severity) => review.change(draft.id, { severity })} />
        <Button size="small" kind="primary" refusal={isEmpty ? "Write something first." : null} onClick={add}>
          Add to review
        </Button>
        <Button size="small" kind="quiet" onClick={() => review.discard(draft.id)}>
          Discard
        </Button>
      </div>
    </div>
  );
}

const WORDS: Readonly<Record<LineDraft["severity"], string>> = {
  critical: "Critical: must change",
  suggestion: "Suggestion",
  nit: "Nit: if it costs nothing",
};

function Severity({
  value,
  onChange,
}: {
  value: LineDraft["severity"];
  onChange: (value: LineDraft["severity"]) => void;
}) {
  return (
    <select
      className="in severity"
      aria-label="How important it is"
      value={value}
      onChange={({ target }) => onChange(SEVERITIES.find((each) => each === target.value) ?? "suggestion")}
    >
      {SEVERITIES.map((each) => (
        <option key={each} value={each}>
          {WORDS[each]}
        </option>
      ))}
    </select>
  );
}
