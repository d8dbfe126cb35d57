import { cutUnchanged, mergeLines } from "../../../../src/core/change/merge-lines.ts";
import { escapedText } from "../../../../src/core/text/terminal-text.ts";

const CONTEXT = 2;
const WORDS = { "+": "added", "-": "removed", " ": "" } as const;

/** What changed between two versions of a text, line by line. */
export function TextDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const [old, now] = [before, after].map((text) => escapedText(text).trim().split("\n"));
  const lines = mergeLines(old ?? [], now ?? []);
  if (lines.every(({ sign }) => sign === " ")) return <p className="muted">The text is the same.</p>;
  return (
    <div className="text-diff" role="group" aria-label={label}>
      {cutUnchanged(lines, CONTEXT).map((line, index) =>
        line === null ? (
          <div key={`gap ${String(index)}`} className="gap">
            …
          </div>
        ) : (
          // A line has no other identity than its place.
          <div key={String(index)} className={{ "+": "add", "-": "del", " ": undefined }[line.sign]} dir="auto">
            <span aria-hidden className="sign">
              {line.sign}
            </span>
            {line.sign !== " " && <span className="sr">{WORDS[line.sign]}: </span>}
            {line.text}
          </div>
        ),
      )}
    </div>
  );
}
