import { terminalLine } from "../../core/terminal-text.ts";
import type { Notifier } from "../../ports/notifier.ts";

const WORDS = { finished: "done", failed: "FAILED", waiting: "waits for you" } as const;
const MAX_LINE = 300;

/** One line a notice, to wherever the daemon's terminal is. */
export function createTerminalNotifier(write: (line: string) => void): Notifier {
  return {
    async send({ kind, project, task, title, text }) {
      write(
        `${WORDS[kind]}: ${terminalLine(title, MAX_LINE)} (${task ?? project}) – ${terminalLine(text, MAX_LINE)}\n`,
      );
    },
  };
}
