import { randomUUID } from "node:crypto";
import { SEVERITIES } from "../../core/task/documents/review.ts";
import { UserError } from "../../core/text/errors.ts";
import { refusePlaceholder } from "../copyable.ts";
import { shortId } from "../print/terminal/short-id.ts";
import type { CliContext } from "../context.ts";
import { act } from "./act.ts";

interface CommentOptions {
  readonly at?: readonly string[];
  readonly commit?: string;
  readonly wait?: boolean;
}

/** Sends review comments on a change. Without `--commit`, they are about the commit that the task is at now. */
export async function comment(
  context: CliContext,
  id: string,
  summary: string | undefined,
  { at = [], commit, wait }: CommentOptions,
): Promise<void> {
  refusePlaceholder(summary);
  const comments = at.map(readLineComment);
  if (comments.length === 0 && (summary ?? "").trim() === "")
    throw new UserError(
      "invalid",
      "The review is empty.",
      "Say what should change, or use --at for comments on lines.",
    );
  await act(
    context,
    async (client) => {
      const task = await client.call("GET /tasks/:id", { params: { id } });
      const shown = commit ?? task.head_commit;
      if (shown === null) throw new UserError("conflict", `${shortId(context, task)} has no change to comment on yet.`);
      // A retry after a lost response must not send the comments twice.
      return client.call("POST /tasks/:id/comments", {
        params: { id: task.id },
        body: { commit: shown, summary: summary ?? "", comments },
        idempotencyKey: randomUUID(),
      });
    },
    { wait },
  );
}

const PLACE = /^(?<file>.+?):(?<line>\d{1,8}):?\s+(?:\[(?<severity>[a-z]+)\]\s*)?(?<text>\S[\s\S]*)$/;

interface LineComment {
  readonly file: string;
  readonly line: number;
  readonly severity: (typeof SEVERITIES)[number];
  readonly comment: string;
}

/** Such as `src/price.ts:8 [critical] Keep the sign.` */
export function readLineComment(given: string): LineComment {
  const { file, line, severity = "suggestion", text } = PLACE.exec(given)?.groups ?? {};
  const known = SEVERITIES.find((each) => each === severity);
  if (file === undefined || text === undefined || Number(line) < 1)
    throw new UserError(
      "invalid",
      `"${given}" is not a comment on a line.`,
      "Write it as <file>:<line> <comment>, such as --at 'src/price.ts:8 Keep the sign.'",
    );
  if (known === undefined)
    throw new UserError("invalid", `"${severity}" is not a severity.`, `Use one of: ${SEVERITIES.join(", ")}.`);
  refusePlaceholder(text);
  return { file, line: Number(line), severity: known, comment: text };
}
