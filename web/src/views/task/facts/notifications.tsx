import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { plural } from "../../../ui/format.ts";
import { Time } from "../../../ui/time.tsx";

type Notification = TaskJson["notifications"][number];
const SHOWN = 5;

/** What people were told about the task, newest first. */
export function Notifications({ task: { notifications } }: { task: TaskJson }) {
  if (notifications.length === 0) return null;
  const failed = notifications.filter(({ status }) => status === "not_sent").length;
  return (
    <>
      <h2>Notifications</h2>
      <p className="hint">
        {plural(notifications.length, "notification")}
        {failed > 0 && <span className="c-red">, {failed} not sent</span>}
      </p>
      <ul className="hint notices">
        {notifications
          .slice(-SHOWN)
          .toReversed()
          .map((each, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- notifications have no id and only newer ones are added
            <li key={index} dir="auto">
              <Time at={each.at} /> {each.channel}: {describe(each)}
            </li>
          ))}
      </ul>
    </>
  );
}

function describe({ kind, status, reason }: Notification): string {
  const what = kind.replaceAll("_", " ");
  if (status === "sent") return what;
  return `${what}, ${status === "pending" ? "not sent yet" : "not sent"}${reason === null ? "" : `: ${reason}`}`;
}
