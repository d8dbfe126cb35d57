import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import { type ReactNode, useId } from "react";
import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Risk } from "../../ui/glyph.tsx";
import { ChecksSummary } from "./checks-summary.tsx";
import { type Change, useChange } from "./use-change.ts";
import type { Verdict } from "./verdict.ts";

/** What a person should know before they merge a change. */
export function ChangeFacts({ task, verdict }: { task: TaskJson; verdict: Verdict }) {
  const id = useId();
  const change = useChange(task.id);
  return (
    <section className="deed" aria-labelledby={id}>
      <header>
        <h2 id={id}>What you merge</h2>
        {task.head_commit !== null && (
          <span className="hash" title={`Commit ${task.head_commit}`}>
            commit {shortHash(task.head_commit)}
          </span>
        )}
        <Link className="link end" to="/tasks/$id/$tab" params={{ id: task.id, tab: "diff" }}>
          Open the diff
        </Link>
      </header>
      <dl>
        <Row label="Where">
          <Place task={task} />
        </Row>
        <Row label="Size">{change === null ? "Not known" : <Size change={change} />}</Row>
        {change !== null && (
          <Row label="Risk">
            <Risk level={change.risk.level} />
            <span className="hint">
              {change.risk.reasons.length === 0
                ? "It is small, and nothing was found."
                : `${capitalize(change.risk.reasons.join(", "))}.`}
            </span>
          </Row>
        )}
        <Row label="Review">
          <span className={verdict.isApproved ? undefined : "c-red"}>{verdict.words}</span>
        </Row>
        <Row label="Checks">
          <ChecksSummary task={task} />
        </Row>
        {task.proof !== null && <Row label="Proof">{PROOF_WORDS[task.proof]}</Row>}
        <Conflicts task={task} />
      </dl>
    </section>
  );
}

const PROOF_WORDS: Readonly<Record<NonNullable<TaskJson["proof"]>, string>> = {
  proven: "The tests of the change fail without it and pass with it.",
  not_proven: "The tests of the change also pass without it, so they do not prove the fix.",
  no_test: "The change has no test of its own.",
};

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Place({ task: { change_request: request, branch } }: { task: TaskJson }) {
  return (
    <>
      {request === null ? (
        "No forge: into the default branch of the remote"
      ) : (
        <>
          <a className="link" href={request.url} rel="noreferrer" target="_blank">
            #{request.number} <ArrowUpRight size={12} aria-hidden className="inline" />
          </a>
          {request.base !== null && (
            <>
              {" "}
              into <code dir="auto">{request.base}</code>
            </>
          )}
        </>
      )}
      {branch !== null && (
        <span className="hint">
          from <bdi>{branch}</bdi>
        </span>
      )}
    </>
  );
}

function Size({ change: { files, insertions, deletions, minutes } }: { change: Change }) {
  return (
    <>
      {plural(files, "file")}, <span className="plus">+{formatCount(insertions)}</span>{" "}
      <span className="minus">−{formatCount(deletions)}</span>
      <span className="hint">About {minutes} min to read, without lock files.</span>
    </>
  );
}

/** Other published branches of the project that change the same lines. */
function Conflicts({ task }: { task: TaskJson }) {
  const branches = task.merge_order?.branches ?? [];
  const own = branches.find((branch) => branch.task === task.id);
  if (own === undefined || own.conflicts.length + own.target_conflicts.length === 0) return null;
  return (
    <Row label="Conflicts">
      {own.target_conflicts.length > 0 && (
        <span className="c-red">
          With the target branch in <bdi>{own.target_conflicts.join(", ")}</bdi>.{" "}
        </span>
      )}
      {own.conflicts.map(({ task: other }) => {
        const title = branches.find((branch) => branch.task === other)?.title ?? other;
        return (
          <Link key={other} className="link block" to="/tasks/$id" params={{ id: other }} dir="auto">
            {title}
          </Link>
        );
      })}
    </Row>
  );
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
