import { terminalText } from "../../core/text/terminal-text.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { paint } from "../print/style.ts";

export async function diff(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  const change = await client.call("GET /tasks/:id/diff", { params: { id } });
  answer(context, change, () => (change.patch === "" ? "no change yet\n" : colour(context, change.patch)));
}

/** In a pipe the patch goes out as it is, so that `git apply` takes it; on a terminal nothing in it may act. */
function colour(context: CliContext, patch: string): string {
  if (!context.color) return patch;
  return terminalText(patch)
    .split("\n")
    .map((line) =>
      isHeading(line)
        ? paint(context, "bold", line)
        : line.startsWith("@@")
          ? paint(context, "cyan", line)
          : byFirst(context, line),
    )
    .join("\n");
}

function isHeading(line: string): boolean {
  return /^(diff |index |\+\+\+ |--- |new file|deleted file)/.test(line);
}

function byFirst(context: CliContext, line: string): string {
  return line.startsWith("+")
    ? paint(context, "green", line)
    : line.startsWith("-")
      ? paint(context, "red", line)
      : line;
}
