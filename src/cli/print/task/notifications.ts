import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import { exactTime } from "../terminal/time.ts";

const MAX_REASON = 200;
const WORDS = { sent: "sent", pending: "not sent yet", not_sent: "not sent" } as const;

/** One line for each notification of the task. */
export function describeNotifications({ notifications }: Pick<TaskJson, "notifications">): string {
  // A daemon of an older version does not send them.
  return (notifications ?? [])
    .map(({ channel, kind, at, status, sent_at: sentAt, reason }) => {
      const why = reason === null ? "" : `: ${terminalLine(reason, MAX_REASON)}`;
      return `  ${exactTime(sentAt ?? at)}  ${terminalLine(`${channel} (${kind})`, MAX_REASON)} ${WORDS[status]}${why}\n`;
    })
    .join("");
}
