import { Link } from "@tanstack/react-router";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { Glyph } from "../../ui/glyph.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { describeStatus } from "../task/head/status-words.ts";

const MAX_ROWS = 6;
const OPEN: readonly TaskJson["status"][] = ["running", "waiting", "queued", "paused"];

/** What goes on, and what ended last. */
export function ProjectTasks({ project }: { project: string }) {
  const tasks = useApi("GET /tasks", { query: { project, limit: "50" } }).data?.tasks;
  if (tasks === undefined) return null;
  const shown = tasks.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_ROWS);
  return (
    <Section title="Tasks" hint="Open ones first, then the newest">
      {shown.length === 0 && <p className="hint">The project has no tasks yet.</p>}
      {shown.map((task) => (
        <div className="row" key={task.id} style={{ gridTemplateColumns: "16px minmax(0,1fr) auto" }}>
          <Glyph name={task.status} />
          <div>
            <Link className="t" to="/tasks/$id" params={{ id: task.id }} dir="auto">
              {task.title}
            </Link>
            <div className="m">{describeStatus(task)}</div>
          </div>
          <div className="rt faint nowrap">
            <Time at={task.created_at} />
          </div>
        </div>
      ))}
      {tasks.length > shown.length && (
        <p>
          <Link className="link" to="/tasks" search={{ project }}>
            All tasks of the project
          </Link>
        </p>
      )}
    </Section>
  );
}

function rankOf({ status }: TaskJson): number {
  return OPEN.includes(status) ? OPEN.indexOf(status) : OPEN.length;
}
