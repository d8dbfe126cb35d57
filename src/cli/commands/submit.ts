import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { UserError } from "../../core/text/errors.ts";
import { parseTaskFile, type TaskFile } from "../../config/files/task-file.ts";
import type { Complexity, Priority, Size } from "../../core/task/task.ts";
import { MAX_VARIANTS, MIN_VARIANTS } from "../../core/task/variants.ts";
import { connect } from "../daemon/connect.ts";
import type { CliContext } from "../context.ts";
import { findOrRegisterProject } from "../project/register-directory.ts";
import { realDirectory } from "../../config/files/real-directory.ts";
import { readTimeout } from "../daemon/read-timeout.ts";
import { refusePlaceholder } from "../copyable.ts";
import { describeUnseenWork } from "../project/unseen-work.ts";
import { warnAboutUntrustedChanges } from "../project/warn-untrusted-changes.ts";
import { taskLine } from "../print/task/task.ts";
import { reportSettled, reportTask } from "../wait/wait-for-task.ts";

export interface SubmitOptions {
  readonly pipeline?: string;
  readonly title?: string;
  readonly from?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly timeout?: string;
  readonly planningTimeout?: string;
  readonly maxTurns?: number;
  readonly autoApprove?: boolean;
  readonly allowDir?: readonly string[];
  readonly design?: boolean;
  readonly withoutChecks?: boolean;
  readonly priority?: Priority;
  readonly size?: Size;
  readonly complexity?: Complexity;
  readonly tag?: readonly string[];
  readonly after?: readonly string[];
  readonly allowOverlap?: boolean;
  readonly inPlace?: boolean;
  readonly until?: string;
  readonly related?: string;
  readonly issue?: number;
  readonly bestOf?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly detach?: boolean;
}

export async function submit(context: CliContext, text: string | undefined, options: SubmitOptions): Promise<void> {
  const task = readTask(text, options);
  const client = await connect(context);
  const project = await findOrRegisterProject(context, client, { yes: options.yes === true });
  await warnAboutUntrustedChanges(context, client, project);
  const unseenWork = options.inPlace === true ? null : describeUnseenWork(context, client, project);
  const submitted = await client.call("POST /tasks", {
    // A retry after a lost response must not create a second task.
    idempotencyKey: randomUUID(),
    body: {
      project,
      pipeline: options.pipeline ?? task.pipeline ?? "staged",
      title: options.title ?? task.title,
      description: task.description === "" ? null : task.description,
      priority: options.priority ?? task.priority ?? "normal",
      size: options.size ?? task.size ?? null,
      complexity: options.complexity ?? task.complexity ?? null,
      tags: [...(options.tag ?? task.tags ?? [])],
      agent: options.agent ?? null,
      model: options.model ?? null,
      timeout_ms: options.timeout === undefined ? null : readTimeout(options.timeout),
      planning_timeout_ms: options.planningTimeout === undefined ? null : readTimeout(options.planningTimeout),
      budget_usd: options.budget ?? null,
      max_turns: options.maxTurns ?? null,
      auto_approve: options.autoApprove ?? false,
      allow_dirs: (options.allowDir ?? []).map(realDirectory),
      design: options.design ?? false,
      without_checks: options.withoutChecks ?? false,
      after: [...(options.after ?? task.after ?? [])],
      until: options.until ?? null,
      allow_overlap: options.allowOverlap ?? false,
      in_place: options.inPlace ?? false,
      related: options.related ?? null,
      issue: options.issue ?? null,
      best_of: options.bestOf === undefined ? null : readBestOf(options.bestOf),
    },
  });
  if (unseenWork !== null) context.progress(await unseenWork);
  // The default pipeline plans for minutes, not hours, so the person is still there.
  const isDefault = options.pipeline === undefined && task.pipeline === undefined;
  const asks = context.interactive && options.detach !== true && isDefault;
  if (!asks) return reportTask(context, client, submitted, { wait: options.wait, since: null });
  context.progress(taskLine(context, submitted));
  const { decideOnPlan } = await import("../plan/decide-on-plan.ts");
  await reportSettled(context, client, await decideOnPlan(context, client, submitted));
}

/** Options of the command line win over the front matter of the file. */
function readTask(text: string | undefined, { from, issue }: SubmitOptions): TaskFile {
  if (text !== undefined && from !== undefined)
    throw new UserError("invalid", "A description and --from cannot be combined.", HOW_TO_DESCRIBE);
  if (text === undefined && from === undefined && issue === undefined)
    throw new UserError("invalid", "The task has no description.", HOW_TO_DESCRIBE);
  refusePlaceholder(text);
  return from === undefined ? { title: null, description: text ?? "" } : parseTaskFile(readText(from), from);
}

const HOW_TO_DESCRIBE = 'Describe the task with nightshift submit "…", with --from <file> or with --issue <number>.';

function readText(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isMissing ? "the file does not exist." : error instanceof Error ? error.message : String(error);
    throw new UserError("invalid", `Cannot read ${file}: ${reason}`);
  }
}

/** `agent` or `agent:model`, separated by commas. A model may contain colons. */
function readBestOf(text: string): { readonly agent: string; readonly model: string | null }[] {
  const choices = text.split(",").map((part) => {
    const [, agent = "", model] = /^([^:]*)(?::(.*))?$/s.exec(part.trim()) ?? [];
    return { agent: agent.trim(), model: model?.trim() ?? null };
  });
  const isComplete = choices.every(({ agent, model }) => agent !== "" && model !== "");
  if (isComplete && choices.length >= MIN_VARIANTS && choices.length <= MAX_VARIANTS) return choices;
  throw new UserError(
    "invalid",
    `--best-of needs ${MIN_VARIANTS} to ${MAX_VARIANTS} agents, separated by commas.`,
    "For example --best-of claude-code,codex or --best-of claude-code:opus,claude-code:sonnet.",
  );
}
