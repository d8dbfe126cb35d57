import { useTitle } from "../../app/title.ts";

export function TaskView() {
  useTitle("Task");
  return (
    <div className="page">
      <h1 className="h1">Task</h1>
    </div>
  );
}
