import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { shortHash } from "../../../../../src/core/text/short-hash.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatCount, plural } from "../../../ui/format.ts";
import { Glyph, Risk } from "../../../ui/glyph.tsx";
import type { Change, DiffJson, ReviewJson } from "./change.ts";
import type { Layout } from "./rows.ts";
import { WHOLE } from "./since.ts";
import { useWide } from "./use-wide.ts";

interface DiffHeadProps {
  readonly task: TaskJson;
  readonly diff: DiffJson;
  readonly change: Change;
  /** The commit of the last review, if the change since then can be shown. */
  readonly reviewed: string | null;
  readonly layout: Layout;
  readonly setLayout: (layout: Layout) => void;
  /** Why no comments are possible. */
  readonly refusal: string | null;
}

const MANY_LINES = 5000;

/** What the change is, and what was said about exactly this commit. */
export function DiffHead({ task, diff, change, reviewed, layout, setLayout, refusal }: DiffHeadProps) {
  const isWide = useWide();
  const { files, lines } = change;
  const insertions = diff.files.reduce((sum, file) => sum + file.insertions, 0);
  const deletions = diff.files.reduce((sum, file) => sum + file.deletions, 0);
  return (
    <>
      <div className="diff-head">
        <span>
          <span className="plus strong">+{formatCount(insertions)}</span>{" "}
          <span className="minus">−{formatCount(deletions)}</span> in {plural(files.length, "file")}
          {diff.since === null && diff.reading_minutes > 0 && `, about ${diff.reading_minutes} min`}
        </span>
        <Range diff={diff} />
        <Verdict task={task} head={diff.head_commit} />
      </div>
      <div className="diff-facts">
        {diff.risk !== null && (
          <span>
            <Risk level={diff.risk.level} />{" "}
            {diff.risk.reasons.length > 0 && <span className="muted">{diff.risk.reasons.join(", ")}</span>}
          </span>
        )}
        <span className="end flex wrap">
          {reviewed !== null && <SinceSwitch diff={diff} reviewed={reviewed} task={task} />}
          {isWide && (
            <span className="seg" role="group" aria-label="Layout">
              {(["unified", "split"] as const).map((each) => (
                <button key={each} type="button" aria-pressed={layout === each} onClick={() => setLayout(each)}>
                  {each === "unified" ? "Unified" : "Split"}
                </button>
              ))}
            </span>
          )}
        </span>
      </div>
      {lines >= MANY_LINES && (
        <p className="diff-facts muted">{formatCount(lines)} lines. Shown as you scroll; comments work.</p>
      )}
      {diff.cut && (
        <p className="diff-facts muted">
          The patch is too long to be kept whole, so its end is missing here. The branch has all of it.
        </p>
      )}
      {refusal !== null && <p className="diff-facts faint">{refusal}</p>}
    </>
  );
}

function Range({ diff: { base_commit: base, head_commit: head, since } }: { diff: DiffJson }) {
  const from = since ?? base;
  if (from === null || head === null) return null;
  return (
    <span className="flex">
      <span className="hash" title={`${since === null ? "Base" : "Reviewed commit"} ${from}`}>
        {shortHash(from)}
      </span>
      <ArrowRight size={12} aria-hidden />
      <span className="sr">to</span>
      <span className="hash" title={`Head ${head}`}>
        {shortHash(head)}
      </span>
    </span>
  );
}

/** A verdict counts for one commit and says nothing about any other. */
function Verdict({ task, head }: { task: TaskJson; head: string | null }) {
  const review = task.reviews.findLast(({ commit }) => commit !== null && commit === head);
  if (review === undefined)
    return <span className="muted">{task.reviews.length === 0 ? "Not reviewed" : "This commit was not reviewed"}</span>;
  const isApproved = review.verdict === "approved";
  return (
    <span className={isApproved ? "c-green flex" : "c-red flex"}>
      <Glyph name={isApproved ? "succeeded" : "failed"} />
      <span>
        <bdi>{authorOf(review, task)}</bdi> {isApproved ? "approved this commit" : "requests changes"}
      </span>
    </span>
  );
}

function authorOf({ by, run }: ReviewJson, { runs }: TaskJson): string {
  return by ?? runs.find(({ id }) => id === run)?.agent ?? "A reviewer";
}

function SinceSwitch({ diff, reviewed, task }: { diff: DiffJson; reviewed: string; task: TaskJson }) {
  const at = { to: "/tasks/$id/$tab", params: { id: task.id, tab: "diff" }, resetScroll: false } as const;
  return (
    <span className="seg" role="group" aria-label="Show">
      <Link
        {...at}
        activeProps={{}}
        search={(before: object) => ({ ...before, since: WHOLE })}
        aria-current={diff.since === null ? "true" : undefined}
      >
        Whole change
      </Link>
      <Link
        {...at}
        activeProps={{}}
        search={(before: object) => ({ ...before, since: reviewed })}
        aria-current={diff.since === null ? undefined : "true"}
      >
        Since last review
      </Link>
    </span>
  );
}
