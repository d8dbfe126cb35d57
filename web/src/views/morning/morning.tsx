import { useTitle } from "../../app/title.ts";

export function MorningView() {
  useTitle("Morning");
  return (
    <div className="page">
      <h1 className="h1">Morning</h1>
    </div>
  );
}
