import { useMemo, useState } from "react";
import { escapedText } from "../../../../src/core/text/terminal-text.ts";
import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { plural } from "../../ui/format.ts";
import { Markdown, renderMarkdown } from "../../ui/markdown.tsx";
import { Voice } from "../../ui/voice.tsx";
import { hiddenWords } from "./hidden-words.ts";

/** A document that an agent wrote as Markdown, and on request exactly as it was written. */
export function DocumentText({ document, by }: { document: DocumentJson; by: string }) {
  const [isRaw, setRaw] = useState(false);
  const summary = document.content["plan_summary"] ?? document.content["summary"];
  const hidden = useMemo(() => hiddenWords(document.text, textOf(renderMarkdown(document.text))), [document.text]);
  return (
    <div className="deed-text">
      <div className="flex wrap">
        <span className="seg" role="group" aria-label="How the text is shown">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            Formatted
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            As written
          </button>
        </span>
        {hidden.length > 0 && !isRaw && (
          <span className="c-red">
            {plural(hidden.length, "word")} of it can only be seen as written:{" "}
            <bdi>{hidden.slice(0, 5).join(", ")}</bdi>
          </span>
        )}
      </div>
      <Voice by={`${by} wrote`}>
        {typeof summary === "string" && summary.trim() !== "" && (
          <p className="strong" dir="auto">
            {summary}
          </p>
        )}
        {isRaw ? <pre dir="auto">{escapedText(document.text)}</pre> : <Markdown text={document.text} />}
      </Voice>
    </div>
  );
}

function textOf(html: string): string {
  return new DOMParser().parseFromString(html, "text/html").body.textContent ?? "";
}
