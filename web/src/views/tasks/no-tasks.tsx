import { Link } from "@tanstack/react-router";
import { Empty } from "../../ui/state.tsx";
import { activeFilters, type TaskFilter } from "./filter.ts";

/** Says whether there are no tasks at all, or none that match. */
export function NoTasks({ filter }: { filter: TaskFilter }) {
  return (
    <div className="flush-pad">
      {activeFilters(filter).length > 0 ? (
        <Empty title="No task matches">
          Remove a filter above, or{" "}
          <Link className="link" to="/tasks" search={{}}>
            clear all filters
          </Link>
          .
        </Empty>
      ) : (
        <Empty title="No tasks yet">
          <Link className="link" to="/new">
            Write the first task
          </Link>
          , or let the nightly improvement find work. Every task appears here until it is deleted.
        </Empty>
      )}
    </div>
  );
}
