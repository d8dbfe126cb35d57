import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { formatDuration, formatMoney, plural } from "../../../ui/format.ts";
import type { GlyphName } from "../../../ui/glyph.tsx";
import { Markdown } from "../../../ui/markdown.tsx";
import { Voice } from "../../../ui/voice.tsx";
import { isWebAddress } from "../task-facts.ts";
import { ChecksWords } from "./checks-words.tsx";
import { Hash } from "./event-line.tsx";
import { Line } from "./line.tsx";

export interface RunLineProps {
  readonly task: TaskJson;
  readonly run: RunJson;
  /** The check that it runs now. */
  readonly check: string | null;
}

/** A run: who did what, how it ended, how long it took and what it cost. */
export function RunLine({ task, run, check }: RunLineProps) {
  return (
    <Line at={run.started_at ?? run.created_at} mark={markOf(task, run)} aside={<Effort run={run} />}>
      <Who run={run} />
      <Result {...{ task, run, check }} />
      <Denials task={task} run={run} />
      <Words run={run} />
    </Line>
  );
}

function markOf({ checks }: TaskJson, { id, step, status, outcome }: RunJson): GlyphName | undefined {
  switch (status) {
    case "queued":
    case "starting":
      return "queued";
    case "running":
      return "running";
    case "paused":
      return "paused";
    case "failed":
      return "failed";
    case "timeout":
      return "timeout";
    case "cancelled":
    case "interrupted":
      return "cancelled";
    case "succeeded":
      if (step !== "checks") return undefined;
      return outcome === "checks_passed" && checks.some(({ run }) => run === id) ? "succeeded" : "failed";
  }
}

function Who({ run: { id, task, step, role, agent, attempt } }: { run: RunJson }) {
  const name = { agent: role ?? "agent", checks: "checks", publish: "publish", post: "post" }[step];
  return (
    <>
      <Link
        className="who"
        to="/tasks/$id/$tab"
        params={{ id: task, tab: step === "checks" ? "checks" : "transcript" }}
        search={{ run: id }}
      >
        {name}
      </Link>
      {attempt > 1 && <span className="faint">, attempt {attempt}</span>}
      {agent !== null && (
        <>
          {" "}
          by <span dir="auto">{agent}</span>
        </>
      )}
    </>
  );
}

function Result({ task, run, check }: RunLineProps): ReactNode {
  if (run.finished_at === null)
    return (
      <>
        : {describeOpen(run)}
        {check !== null && (
          <>
            , <code>{check}</code> runs now
          </>
        )}
      </>
    );
  if (run.step === "checks") return <ChecksWords task={task} run={run} />;
  if (run.step === "publish" && run.outcome === "published") return <Published task={task} run={run} />;
  const document = task.documents.find((each) => each.run === run.id);
  return (
    <>
      : {run.outcome === null ? run.status : <code>{run.outcome}</code>}
      {document !== undefined && (
        <>
          , {document.kind} <Hash hash={document.hash} />
        </>
      )}
      {countComments(run)}
      {run.error !== null && <pre className="said c-red">{run.error}</pre>}
    </>
  );
}

function describeOpen({ status }: RunJson): string {
  return status === "queued" || status === "starting" ? "starts soon" : status;
}

function countComments({ payload }: RunJson): string {
  const comments = payload?.["comments"];
  return Array.isArray(comments) && comments.length > 0 ? `, ${plural(comments.length, "comment")}` : "";
}

function Published({ task: { change_request: request }, run }: Pick<RunLineProps, "task" | "run">) {
  const branch = run.payload?.["branch"];
  return (
    <>
      {request !== null && isWebAddress(request.url) && (
        <>
          :{" "}
          <a className="link" href={request.url} rel="noreferrer" target="_blank">
            #{request.number}
          </a>
        </>
      )}
      {typeof branch === "string" && (
        <>
          {request === null ? ": " : " on "}
          <code dir="auto" className="words">
            {branch}
          </code>
        </>
      )}
      {run.commit !== null && (
        <>
          {" "}
          at <Hash hash={run.commit} />
        </>
      )}
    </>
  );
}

function Denials({ task, run: { denials } }: Pick<RunLineProps, "task" | "run">) {
  const count = denials.reduce((total, each) => total + each.count, 0);
  if (count === 0) return null;
  return (
    <div className="muted">
      The sandbox refused{" "}
      <Link className="link" to="/tasks/$id/$tab" params={{ id: task.id, tab: "permissions" }}>
        {plural(count, "access", "accesses")}
      </Link>
      .
    </div>
  );
}

/** What the agent says about its own work. A plan has a tab of its own. */
function Words({ run: { step, agent, outcome, payload } }: { run: RunJson }) {
  const summary = payload?.["summary"];
  const result = payload?.["result"];
  if (step !== "agent" || typeof summary !== "string" || outcome === "plan_complete") return null;
  return (
    <Voice by={`${agent ?? "The agent"} wrote`}>
      <Markdown text={typeof result === "string" && result !== summary ? `${summary}\n\n${result}` : summary} />
    </Voice>
  );
}

function Effort({ run }: { run: RunJson }) {
  const parts = [
    ...(run.duration_ms === null ? [] : [formatDuration(run.duration_ms)]),
    ...(run.step === "agent" && run.finished_at !== null ? [describeCost(run)] : []),
  ];
  return <>{parts.join(", ")}</>;
}

function describeCost({ cost_usd: usd }: RunJson): string {
  return usd === null ? "cost unknown" : formatMoney(usd);
}
