import { useTitle } from "../../app/title.ts";

export function AgentsView() {
  useTitle("Agents");
  return (
    <div className="page">
      <h1 className="h1">Agents</h1>
    </div>
  );
}
