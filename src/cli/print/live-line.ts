import { terminalLine } from "../../core/text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { paint } from "./style.ts";

/** A progress line at the bottom of the terminal that is overwritten on each update. Prints nothing in a pipe. */
export class LiveLine {
  private readonly context: CliContext;
  private readonly active: boolean;
  private shown = false;

  constructor(context: CliContext) {
    this.context = context;
    this.active = process.stderr.isTTY && !context.quiet && !context.json;
  }

  show(text: string): void {
    const line = terminalLine(text, Math.max(20, (process.stderr.columns ?? 80) - 4));
    if (!this.active || line === "") return;
    this.clear();
    process.stderr.write(paint(this.context, "gray", `  … ${line}`));
    this.shown = true;
  }

  clear(): void {
    if (!this.shown) return;
    process.stderr.write("\r\u001b[K");
    this.shown = false;
  }
}
