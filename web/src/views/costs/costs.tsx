import { useTitle } from "../../app/title.ts";

export function CostsView() {
  useTitle("Costs and quality");
  return (
    <div className="page">
      <h1 className="h1">Costs and quality</h1>
    </div>
  );
}
