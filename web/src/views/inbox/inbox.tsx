import { useTitle } from "../../app/title.ts";

export function InboxView() {
  useTitle("Inbox");
  return (
    <div className="page">
      <h1 className="h1">Inbox</h1>
    </div>
  );
}
