import type { ReactNode } from "react";
import { formatFullTime } from "../../../ui/format.ts";
import { Glyph, type GlyphName, glyphWord } from "../../../ui/glyph.tsx";

export interface LineProps {
  readonly at: string;
  /** Without one, a dot: nothing that a person has to notice. */
  readonly mark?: GlyphName | undefined;
  /** At the right: duration and cost, or how a decision was sent. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One line of the timeline: time, mark, who did what. */
export function Line({ at, mark, aside, children }: LineProps) {
  return (
    <li className="ev">
      <time dateTime={at} title={formatFullTime(at)}>
        {new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}
      </time>
      {mark === undefined ? <Dot /> : <Glyph name={mark} label={glyphWord(mark)} />}
      <div>{children}</div>
      <span className="r">{aside}</span>
    </li>
  );
}

function Dot() {
  return (
    <svg className="g-dot" width="16" height="16" viewBox="0 0 16 16" aria-hidden>
      <circle cx="8" cy="8" r="2.6" fill="currentColor" />
    </svg>
  );
}
