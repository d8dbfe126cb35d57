import { randomUUID } from "node:crypto";
import type { Category } from "../../core/nightly/category.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName } from "../find-project.ts";
import { warnAboutUntrustedChanges } from "../warn-untrusted-changes.ts";
import { printPreview } from "../print/preview.ts";
import { taskLine } from "../print/task.ts";
import { finishWaiting, waitForTask } from "../wait-for-task.ts";

export interface ImproveOptions {
  readonly category?: Category;
  readonly only?: boolean;
  readonly dryRun?: boolean;
  readonly prompts?: boolean;
  readonly wait?: boolean;
}

export async function improve(context: CliContext, options: ImproveOptions): Promise<void> {
  const client = await connect(context);
  const project = await findProjectName(context, client);
  await warnAboutUntrustedChanges(context, client, project, { dryRun: options.dryRun === true });
  const wanted = { project, category: options.category ?? null, only: options.only ?? false };
  if (options.dryRun === true) {
    const preview = await client.call("POST /improve/plan", { body: wanted });
    return printResult(context, preview, () => printPreview(context, preview, options.prompts ?? false));
  }
  const task = await client.call("POST /tasks", {
    idempotencyKey: randomUUID(),
    body: {
      ...wanted,
      pipeline: NIGHT_WORK.pipeline,
      title: NIGHT_WORK.title,
      description: NIGHT_WORK.description,
    },
  });
  if (options.wait !== true) return printResult(context, task, () => taskLine(context, task));
  context.progress(taskLine(context, task));
  await finishWaiting(context, await waitForTask(context, client, { id: task.id, since: null }));
}
