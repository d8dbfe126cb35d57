import { terminalJson } from "../../../core/text/terminal-text.ts";
import type { CliContext } from "../../context.ts";

/** Prints one JSON array element by element, so that a reader who follows a run or a log gets each element at once. */
export class JsonList {
  private readonly context: CliContext;
  private count = 0;

  constructor(context: CliContext) {
    this.context = context;
  }

  add(element: unknown): void {
    this.context.out(`${this.count === 0 ? "[\n" : ",\n"}${terminalJson(element)}`);
    this.count += 1;
  }

  end(): void {
    if (this.context.json) this.context.out(this.count === 0 ? "[]\n" : "\n]\n");
  }
}
