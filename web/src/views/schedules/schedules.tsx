import { useTitle } from "../../app/title.ts";

export function SchedulesView() {
  useTitle("Schedules");
  return (
    <div className="page">
      <h1 className="h1">Schedules</h1>
    </div>
  );
}
