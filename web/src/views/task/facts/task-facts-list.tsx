import { Link } from "@tanstack/react-router";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { formatDuration } from "../../../ui/format.ts";
import { Time } from "../../../ui/time.tsx";
import { isWebAddress } from "../task-facts.ts";
import { Fact, TaskLink } from "./fact.tsx";

/** What a person asked for, and of whom. */
export function TaskFacts({ task }: { task: TaskJson }) {
  const { options } = task;
  return (
    <>
      <h2>Task</h2>
      <dl>
        <Fact name="Project">
          <Link className="link" to="/projects/$name" params={{ name: task.project }}>
            {task.project}
          </Link>
        </Fact>
        <Fact name="Pipeline">{task.pipeline}</Fact>
        <Fact name="Category">{task.category}</Fact>
        <Fact name="Priority">{task.priority}</Fact>
        <Fact name="Size">{task.size}</Fact>
        <Fact name="Complexity">{task.complexity}</Fact>
        <Fact name="Tags">{task.tags.length > 0 && <Tags tags={task.tags} />}</Fact>
        <Fact name="Agent">{options.agent}</Fact>
        <Fact name="Model">{options.model}</Fact>
        <Fact name="Submitted">
          {task.submitted_by}, <Time at={task.created_at} />
        </Fact>
        <Fact name="Stops after">
          {task.until !== null && `${task.until.state}${task.until.reached ? ", reached" : ""}`}
        </Fact>
        <Fact name="Timeout">{options.timeout_ms !== null && formatDuration(options.timeout_ms)}</Fact>
        <Fact name="After">
          {task.after.length > 0 &&
            task.after.map((id) => (
              <div key={id}>
                <TaskLink id={id} />
              </div>
            ))}
        </Fact>
        <Fact name="Related to">{task.related !== null && <TaskLink id={task.related} />}</Fact>
        <Fact name="Variant of">{task.variant_of !== null && <TaskLink id={task.variant_of.task} />}</Fact>
        <Fact name="Issue">{task.issue !== null && <Address url={task.issue.url}>#{task.issue.number}</Address>}</Fact>
        <Fact name="Reviews">
          {task.reviewed_request !== null && (
            <Address url={task.reviewed_request.url}>
              #{task.reviewed_request.number} by {task.reviewed_request.author}
            </Address>
          )}
        </Fact>
        <Fact name="Not checked">
          {task.unchecked.length > 0 && `${task.unchecked.join(", ")}: not accepted, so it does not run as written`}
        </Fact>
      </dl>
      <Description task={task} />
    </>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex wrap" style={{ gap: 4 }}>
      {tags.map((tag) => (
        <span className="tag" key={tag} dir="auto">
          {tag}
        </span>
      ))}
    </span>
  );
}

function Address({ url, children }: { url: string; children: React.ReactNode }) {
  if (!isWebAddress(url)) return <>{children}</>;
  return (
    <a className="link" href={url} rel="noreferrer" target="_blank">
      {children}
    </a>
  );
}

/** The request of the person. Its first line often is the title. */
function Description({ task: { title, description } }: { task: TaskJson }) {
  if (description.trim().replace(/\.$/, "") === title.trim()) return null;
  return (
    <details className="asked">
      <summary>What was asked</summary>
      <p className="words" dir="auto">
        {description}
      </p>
    </details>
  );
}
