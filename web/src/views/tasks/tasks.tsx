import { useSearch } from "@tanstack/react-router";
import { useTitle } from "../../app/title.ts";
import { TasksBar } from "./bar/bar.tsx";
import { Columns } from "./columns/columns.tsx";
import { readFilter, writeFilter } from "./filter.ts";
import { ListView } from "./list/list-view.tsx";

/** All tasks, as a list or in columns. The filters and the layout are in the address. */
export function TasksView() {
  useTitle("Tasks");
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const filter = readFilter(search);
  const isColumns = search["view"] === "columns";
  const rest = { view: search["view"] };
  return (
    <div className="flush-view">
      <TasksBar {...{ filter, isColumns, rest }} />
      {isColumns ? <Columns filter={filter} /> : <ListView key={JSON.stringify(writeFilter(filter))} filter={filter} />}
    </div>
  );
}
