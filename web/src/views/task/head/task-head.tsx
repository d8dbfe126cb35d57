import { Link } from "@tanstack/react-router";
import { ArrowUpRight, ChevronRight } from "lucide-react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatDuration, formatMoney, plural } from "../../../ui/format.ts";
import { Status } from "../../../ui/glyph.tsx";
import { TaskActions } from "../actions/task-actions.tsx";
import { isWebAddress } from "../task-facts.ts";
import { describeStatus } from "./status-words.ts";

/** Where the task belongs, its title, and one line of facts. */
export function TaskHead({ task }: { task: TaskJson }) {
  return (
    <>
      <Crumbs task={task} />
      <div className="thead">
        <div className="grow">
          <h1 dir="auto" className="task-title">
            {task.title}
          </h1>
          <FactLine task={task} />
        </div>
        <TaskActions task={task} />
      </div>
    </>
  );
}

function Crumbs({ task: { project, pipeline, id, variant_of: variant } }: { task: TaskJson }) {
  return (
    <div className="crumb">
      <Link to="/projects/$name" params={{ name: project }} dir="auto">
        {project}
      </Link>
      <ChevronRight size={12} aria-hidden />
      <Link to="/tasks" search={{ pipeline }} dir="auto">
        {pipeline}
      </Link>
      <ChevronRight size={12} aria-hidden />
      {variant !== null && (
        <>
          <Link className="mono" to="/tasks/$id" params={{ id: variant.task }}>
            {variant.task}
          </Link>
          <ChevronRight size={12} aria-hidden />
        </>
      )}
      <span className="mono">{id}</span>
    </div>
  );
}

function FactLine({ task }: { task: TaskJson }) {
  const request = task.change_request;
  return (
    <div className="facts">
      <Status name={task.status}>{describeStatus(task)}</Status>
      {request !== null && isWebAddress(request.url) && (
        <a href={request.url} rel="noreferrer" target="_blank" className="flex">
          #{request.number}
          {request.state === "open" ? "" : `, ${request.state}`} <ArrowUpRight size={12} aria-hidden />
        </a>
      )}
      <span>{describeCost(task)}</span>
      <span title="From its submission until its end or now, and the time that agents worked">
        {formatDuration(task.duration_ms)}, agents {formatDuration(task.agent_ms ?? 0)}
      </span>
    </div>
  );
}

/** "$3.46 of $15.00, 1 run of unknown cost". */
export function describeCost({ cost_usd: usd, unknown_cost: unknown, options }: TaskJson): string {
  const limit = options.budget_usd === null ? "" : ` of ${formatMoney(options.budget_usd)}`;
  if (unknown === null || unknown === 0) return usd === null ? "Nothing spent yet" : formatMoney(usd) + limit;
  const rest = plural(unknown, "run of unknown cost", "runs of unknown cost");
  return usd === null ? rest : `${formatMoney(usd)}${limit}, ${rest}`;
}
