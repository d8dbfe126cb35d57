import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api/queries.ts";
import type { NightsJson } from "../../../../src/http/contract/quality.ts";
import { formatDay, formatMoney, plural } from "../../ui/format.ts";
import { Glyph } from "../../ui/glyph.tsx";
import { Loaded } from "../../ui/state.tsx";

type Night = NightsJson["nights"][number];
type Result = Night["result"];

const WORDS: Readonly<Record<Result, string>> = {
  merged: "merged",
  open: "open",
  closed: "closed",
  unchanged: "no change",
  failed: "failed",
  idle: "nothing ran",
};
const ORDER = ["merged", "open", "closed", "unchanged", "failed", "idle"] as const;

/** One mark for each night: what became of it. */
export function NightsStrip({ nights, project }: { nights: number; project: string | null }) {
  const query = useApi("GET /nights", { query: { nights, ...(project !== null && { project }) } });
  return (
    <section aria-label="What became of the nights" className="block">
      <div className="chart-head">
        <h2>What became of the nights</h2>
        <div className="legend">
          {ORDER.map((result) => (
            <span key={result}>
              <ResultMark result={result} />
              {WORDS[result]}
            </span>
          ))}
        </div>
      </div>
      <Loaded query={query} what="The nights">
        {({ nights: found }) => (
          <>
            <ol className="nights-strip">
              {found.map((night) => (
                <li key={night.night}>
                  <Link to="/nights/$date" params={{ date: night.night }} title={describeNight(night)}>
                    <ResultMark result={night.result} />
                    <span className="sr">{describeNight(night)}</span>
                  </Link>
                </li>
              ))}
            </ol>
            <p className="hint">{countResults(found)}</p>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** "16 Nov: merged, 3 tasks ended, $2.18". */
function describeNight({ night, result, tasks, runs, cost_usd: usd }: Night): string {
  const day = formatDay(night, "UTC");
  if (result === "idle") return `${day}: nothing ran`;
  return `${day}: ${WORDS[result]}, ${plural(tasks.ended, "task")} ended, ${formatMoney(runs === 0 ? 0 : usd)}`;
}

function countResults(nights: readonly Night[]): string {
  const counts = ORDER.flatMap((result) => {
    const count = nights.filter((night) => night.result === result).length;
    return count === 0 ? [] : [`${count} ${WORDS[result]}`];
  });
  const [first, last] = [nights[0], nights.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `${formatDay(first.night, "UTC")} to ${formatDay(last.night, "UTC")}: ${counts.join(", ")}.`;
}

const RING = { cx: 8, cy: 8, fill: "none" } as const;

function ResultMark({ result }: { result: Result }): ReactNode {
  switch (result) {
    case "merged":
      return <Glyph name="succeeded" />;
    case "failed":
      return <Glyph name="failed" />;
    case "closed":
      return <Glyph name="cancelled" />;
    case "open":
      return (
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden>
          <circle {...RING} r="5.5" stroke="var(--green)" strokeWidth="2" />
        </svg>
      );
    case "unchanged":
      return (
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden>
          <circle {...RING} r="3" stroke="var(--ink-3)" strokeWidth="1.5" />
        </svg>
      );
    case "idle":
      return (
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden>
          <circle cx="8" cy="8" r="1.25" fill="var(--ink-3)" />
        </svg>
      );
  }
}
