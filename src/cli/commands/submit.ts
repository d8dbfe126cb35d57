import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { UserError } from "../../core/text/errors.ts";
import { parseDuration } from "../../core/schedule/duration.ts";
import type { Complexity, Priority, Size } from "../../core/task/task.ts";
import { connect } from "../connect.ts";
import type { CliContext } from "../context.ts";
import { findProjectName } from "../find-project.ts";
import { refusePlaceholder } from "../copyable.ts";
import { describeUnseenWork } from "../unseen-work.ts";
import { warnAboutUntrustedChanges } from "../warn-untrusted-changes.ts";
import { reportTask } from "../wait/wait-for-task.ts";

export interface SubmitOptions {
  readonly pipeline: string;
  readonly title?: string;
  readonly from?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly timeout?: string;
  readonly autoApprove?: boolean;
  readonly design?: boolean;
  readonly withoutChecks?: boolean;
  readonly priority: Priority;
  readonly size?: Size;
  readonly complexity?: Complexity;
  readonly tag?: readonly string[];
  readonly after?: readonly string[];
  readonly wait?: boolean;
}

export async function submit(context: CliContext, text: string | undefined, options: SubmitOptions): Promise<void> {
  const description = readDescription(text, options.from);
  const client = await connect(context);
  const project = await findProjectName(context, client);
  await warnAboutUntrustedChanges(context, client, project);
  const unseenWork = describeUnseenWork(context, client, project);
  const task = await client.call("POST /tasks", {
    // A retry after a lost response must not create a second task.
    idempotencyKey: randomUUID(),
    body: {
      project,
      pipeline: options.pipeline,
      title: options.title ?? null,
      description,
      priority: options.priority,
      size: options.size ?? null,
      complexity: options.complexity ?? null,
      tags: [...(options.tag ?? [])],
      agent: options.agent ?? null,
      model: options.model ?? null,
      timeout_ms: options.timeout === undefined ? null : readTimeout(options.timeout),
      budget_usd: options.budget ?? null,
      auto_approve: options.autoApprove ?? false,
      design: options.design ?? false,
      without_checks: options.withoutChecks ?? false,
      after: [...(options.after ?? [])],
    },
  });
  context.progress(await unseenWork);
  await reportTask(context, client, task, { wait: options.wait, since: null });
}

function readDescription(text: string | undefined, file: string | undefined): string {
  if ((text === undefined) === (file === undefined))
    throw new UserError(
      "invalid",
      text === undefined ? "The task has no description." : "A description and --from cannot be combined.",
      'Describe the task with nightshift submit "…" or with --from <file>.',
    );
  refusePlaceholder(text);
  if (file === undefined) return text ?? "";
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new UserError("invalid", `Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new UserError("invalid", `"${text}" is not a duration.`, "Write it as 30s, 10m or 2h.");
  return ms;
}
