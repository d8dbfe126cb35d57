import { randomUUID } from "node:crypto";
import { connect } from "../daemon/connect.ts";
import type { CliContext } from "../context.ts";
import { refusePlaceholder } from "../copyable.ts";
import { readTimeout } from "../daemon/read-timeout.ts";
import { reportTask } from "../wait/wait-for-task.ts";

export interface ReviewOptions {
  readonly post?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly timeout?: string;
  readonly maxTurns?: number;
  readonly note?: string;
  readonly withoutChecks?: boolean;
  readonly wait?: boolean;
}

/** The daemon finds the project by the address, so the current folder does not matter. */
export async function review(context: CliContext, url: string, options: ReviewOptions): Promise<void> {
  refusePlaceholder(options.note);
  const client = await connect(context);
  const task = await client.call("POST /tasks", {
    // A retry after a lost response must not create a second task.
    idempotencyKey: randomUUID(),
    body: {
      project: context.project,
      pipeline: "review",
      url,
      description: options.note ?? null,
      agent: options.agent ?? null,
      model: options.model ?? null,
      timeout_ms: options.timeout === undefined ? null : readTimeout(options.timeout),
      budget_usd: options.budget ?? null,
      max_turns: options.maxTurns ?? null,
      auto_approve: options.post ?? false,
      without_checks: options.withoutChecks ?? false,
    },
  });
  await reportTask(context, client, task, { wait: options.wait, since: null });
}
