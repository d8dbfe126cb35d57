import { useTitle } from "../../app/title.ts";

export function ProjectView() {
  useTitle("Project");
  return (
    <div className="page">
      <h1 className="h1">Project</h1>
    </div>
  );
}
