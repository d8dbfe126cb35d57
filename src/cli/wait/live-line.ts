import { terminalText } from "../../core/text/terminal-text.ts";
import { cutText } from "../print/terminal/fit-text.ts";
import { paint } from "../print/terminal/style.ts";
import type { CliContext } from "../context.ts";

/** The part of `process.stderr` that a line needs. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const DEFAULT_COLUMNS = 80;
const ERASE_BELOW = "\u001b[J";
/** The terminal's idea of the width of a character may differ from ours. Without wrapping, the line stays on one row anyway. */
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";

/**
 * A line at the bottom of the terminal that is overwritten on each update. The cursor stays at its start: if a smaller window
 * breaks the line into several rows, they are all below the cursor and can be erased.
 */
export class LiveLine {
  private readonly context: Pick<CliContext, "color">;
  private readonly terminal: Terminal;
  private isShown = false;

  constructor(context: Pick<CliContext, "color">, terminal: Terminal) {
    this.context = context;
    this.terminal = terminal;
  }

  show(text: string): void {
    const { columns = 0 } = this.terminal;
    // The last column stays free, because some terminals wrap when it is written.
    const width = (columns > 0 ? columns : DEFAULT_COLUMNS) - 1;
    const line = cutText(terminalText(text).replace(/[\n\t]/g, " "), width);
    this.terminal.write(`\r${WRAP_OFF}${paint(this.context, "gray", line)}${WRAP_ON}${ERASE_BELOW}\r`);
    this.isShown = true;
  }

  clear(): void {
    if (this.isShown) this.terminal.write(`\r${ERASE_BELOW}`);
    this.isShown = false;
  }
}
