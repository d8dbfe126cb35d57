import type { NoticeAbout } from "../../../core/notices/notice.ts";
import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";

const WORDS = { finished: "done", failed: "FAILED", waiting: "waits for you" } as const;
/** What is told like a failure, so that nobody overlooks it, and is none. */
const HAPPENED: Readonly<Partial<Record<NoticeAbout, string>>> = { missed: "missed", skipped: "left out" };
const MAX_LINE = 300;

/** One line a notice, to wherever the daemon's terminal is. */
export function createTerminalNotifier(write: (line: string) => void): Notifier {
  return {
    async send(notice) {
      const { project, task, title, text } = notice;
      write(
        `${wordFor(notice)}: ${terminalLine(title, MAX_LINE)} (${task ?? project}) – ${terminalLine(text, MAX_LINE)}\n`,
      );
    },
  };
}

function wordFor({ kind, data: { about, status } }: Pick<Notice, "kind" | "data">): string {
  if (about === undefined) return status === "cancelled" ? "cancelled" : WORDS[kind];
  return HAPPENED[about] ?? WORDS[kind];
}
