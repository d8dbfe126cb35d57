import { useMemo, useState } from "react";
import { shortenText } from "../../../../../src/core/transcript/describe-result.ts";
import { Ansi } from "../../../ui/ansi.tsx";
import { Button } from "../../../ui/button.tsx";
import { plural } from "../../../ui/format.ts";
import { Pre } from "./pre.tsx";

const SHORT = { maxLines: 60, maxLine: 2_000 };
/** More than this makes the browser slow. */
const LONG = { maxLines: 5_000, maxLine: 200_000 };

export interface OutputTextProps {
  readonly text: string;
  /** Names the region for screen readers. */
  readonly label: string;
  readonly isLong?: boolean;
}

/** Output of a program. A long one is cut, because one line can have a megabyte. */
export function OutputText({ text, label, isLong = false }: OutputTextProps) {
  const [isExpanded, setExpanded] = useState(false);
  const isFull = isExpanded || isLong;
  const short = useMemo(() => shortenText(text, isFull ? LONG : SHORT), [text, isFull]);
  const missing = [
    ...(short.hiddenLines > 0 ? [plural(short.hiddenLines, "more line")] : []),
    ...(short.hiddenCharacters > 0 ? [plural(short.hiddenCharacters, "more character")] : []),
  ].join(", ");
  return (
    <>
      <Pre label={label}>
        <Ansi text={short.text} />
      </Pre>
      {missing !== "" && (
        <div className="ansi-more">
          <span className="faint">{missing}</span>
          {!isFull && (
            <Button size="small" kind="quiet" onClick={() => setExpanded(true)}>
              Show them
            </Button>
          )}
        </div>
      )}
    </>
  );
}
