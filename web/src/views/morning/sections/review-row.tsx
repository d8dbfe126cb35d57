import { Link } from "@tanstack/react-router";
import { ArrowUpRight } from "lucide-react";
import type { ReportedTaskJson } from "../../../../../src/http/client/client.ts";
import { plural } from "../../../ui/format.ts";
import { RiskBars, type RiskLevel } from "../../../ui/glyph.tsx";
import { useIsCurrent } from "../cursor.tsx";
import { TaskFacts, TaskTitle } from "../task-row.tsx";
import { MergeButton } from "./merge-button.tsx";
import type { ChangeConflict } from "./use-merge-conflicts.ts";

const RISK: Readonly<Record<RiskLevel, string>> = { low: "Low risk", medium: "Medium risk", high: "High risk" };
const PROOF = {
  proven: "fix proven by its tests",
  not_proven: "fix not proven",
  no_test: "fix without a test",
} as const;

/** A change with its risk and the reasons, the time to read it, and the ways to take it. */
export function ReviewRow({ task, conflicts }: { task: ReportedTaskJson; conflicts: readonly ChangeConflict[] }) {
  const isCurrent = useIsCurrent(task.id);
  const { change, change_request: request, branch } = task;
  return (
    <div className={isCurrent ? "row cr key" : "row cr"} data-row={task.id}>
      <span className={change?.risk.level === "high" ? "glyph risk high" : "glyph risk"}>
        {change !== null && <RiskBars level={change.risk.level} />}
      </span>
      <div>
        <TaskTitle task={task} />
        <TaskFacts
          task={task}
          facts={[
            change?.proof == null ? null : PROOF[change.proof],
            request === null && branch !== null ? <code key="branch">{branch}</code> : null,
          ]}
        />
        {task.status === "waiting" && task.reason !== null && (
          <p className="said" dir="auto">
            {task.reason}
          </p>
        )}
        {conflicts.map((conflict) => (
          <p className="said" key={conflict.with} dir="auto">
            Conflicts with “{conflict.with}” in {conflict.files.join(", ")}
          </p>
        ))}
      </div>
      {change !== null && <ChangeFacts change={change} />}
      <div className="rt">
        {task.waiting_for === "merge" && <MergeButton task={task} />}
        <Link className="btn sm" to="/tasks/$id/$tab" params={{ id: task.id, tab: "diff" }}>
          Diff
        </Link>
        {request !== null && (
          <a className="btn sm" href={request.url} rel="noreferrer" target="_blank">
            #{request.number} <ArrowUpRight size={12} aria-hidden />
          </a>
        )}
      </div>
    </div>
  );
}

function ChangeFacts({ change }: { change: NonNullable<ReportedTaskJson["change"]> }) {
  const { risk, files, insertions, deletions, reading_minutes: minutes } = change;
  return (
    <div className="pairs">
      <div className="rk">
        <div className={risk.level === "high" ? "c-red strong" : "muted"}>{RISK[risk.level]}</div>
        <div className="m">{risk.reasons.length === 0 ? "no warnings" : risk.reasons.join(", ")}</div>
      </div>
      <div className="rd">
        <div>
          <span className="plus">+{insertions}</span> <span className="minus">−{deletions}</span>{" "}
          <span className="faint">{plural(files, "file")}</span>
        </div>
        <div className="m">about {minutes} min to read</div>
      </div>
    </div>
  );
}
