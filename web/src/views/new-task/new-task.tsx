import { useTitle } from "../../app/title.ts";

export function NewTaskView() {
  useTitle("New task");
  return (
    <div className="page">
      <h1 className="h1">New task</h1>
    </div>
  );
}
