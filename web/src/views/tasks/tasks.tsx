import { useTitle } from "../../app/title.ts";

export function TasksView() {
  useTitle("Tasks");
  return (
    <div className="page">
      <h1 className="h1">Tasks</h1>
    </div>
  );
}
