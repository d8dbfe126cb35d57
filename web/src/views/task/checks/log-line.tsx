import { memo } from "react";

interface LogLineProps {
  /** Made by `renderAnsi`. */
  readonly html: string;
  /** Null if lines before it are not loaded. */
  readonly number: number | null;
  readonly isError: boolean;
  readonly isCurrent: boolean;
}

export const LogLine = memo(function Line({ html, number, isError, isCurrent }: LogLineProps) {
  return (
    <li className={isError ? "hit" : undefined} aria-current={isCurrent || undefined}>
      <span className="n" aria-hidden>
        {number}
      </span>
      <span dangerouslySetInnerHTML={{ __html: html === "" ? " " : html }} />
    </li>
  );
});
