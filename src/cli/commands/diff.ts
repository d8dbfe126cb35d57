import { shortHash } from "../../core/text/short-hash.ts";
import { terminalText } from "../../core/text/terminal-text.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { paint } from "../print/terminal/style.ts";

export async function diff(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const change = await client.call("GET /tasks/:id/diff", { params: { id } });
  // In a pipe, the patch is unchanged so that `git apply` accepts it.
  if (!context.json && !process.stdout.isTTY && change.patch !== "") return void process.stdout.write(change.patch);
  printResult(context, change, () => (change.patch === "" ? explainMissing(change) : colour(context, change.patch)));
}

function explainMissing({
  base_commit: base,
  head_commit: head,
}: {
  readonly base_commit: string | null;
  readonly head_commit: string | null;
}): string {
  return head === null || head === base
    ? "There is no change yet.\n"
    : `The patch of this task was removed (retention). Its commit is ${shortHash(head)}.\n`;
}

function colour(context: CliContext, patch: string): string {
  return terminalText(patch)
    .split("\n")
    .map((line) =>
      isHeading(line)
        ? paint(context, "bold", line)
        : line.startsWith("@@")
          ? paint(context, "cyan", line)
          : colourLine(context, line),
    )
    .join("\n");
}

function isHeading(line: string): boolean {
  return /^(diff |index |\+\+\+ |--- |new file|deleted file)/.test(line);
}

function colourLine(context: CliContext, line: string): string {
  return line.startsWith("+")
    ? paint(context, "green", line)
    : line.startsWith("-")
      ? paint(context, "red", line)
      : line;
}
