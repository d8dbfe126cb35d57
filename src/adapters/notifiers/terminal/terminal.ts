import { ALL_PROJECTS, type NoticeAbout } from "../../../core/notices/notice.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";

const LABELS = { finished: "done", failed: "FAILED", waiting: "waits for you", report: "report of the night" } as const;
/** Notices of kind "failed" that are not failures. */
const INFORMATIONAL_LABELS: Readonly<Partial<Record<NoticeAbout, string>>> = { missed: "missed", skipped: "skipped" };
const MAX_LINE = 300;

/** Writes one line per notice to the daemon's terminal. */
export function createTerminalNotifier(write: (line: string) => void): Notifier {
  return {
    async send(notice) {
      const { project, task, title, text } = notice;
      const about = project === ALL_PROJECTS ? "" : ` (${task ?? project})`;
      write(`${labelFor(notice)}: ${terminalLine(title, MAX_LINE)}${about} – ${terminalLine(text, MAX_LINE)}\n`);
    },
  };
}

function labelFor({ kind, data: { about, status } }: Pick<Notice, "kind" | "data">): string {
  if (about === undefined) return status === "cancelled" ? "cancelled" : LABELS[kind];
  return INFORMATIONAL_LABELS[about] ?? LABELS[kind];
}
