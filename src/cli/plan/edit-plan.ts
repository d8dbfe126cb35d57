import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { UserError } from "../../core/text/errors.ts";
import type { Client, DocumentJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";

/** Opens a plan in the person's editor, and approves what they saved. A version that is refused is kept for another try. */
export async function approveEdited(
  context: CliContext,
  client: Client,
  { task, plan }: { readonly task: TaskJson; readonly plan: Pick<DocumentJson, "hash" | "content"> },
): Promise<TaskJson> {
  const { problems: _checkedAgain, approval_reasons: _decided, past_estimates: _known, ...content } = plan.content;
  const folder = mkdtempSync(join(tmpdir(), "nightshift-plan-"));
  const file = join(folder, "plan.yaml");
  writeFileSync(file, `${HEADING}${stringify(content, { lineWidth: 0, blockQuote: "literal" })}`, { mode: 0o600 });
  openEditor(context, file);
  try {
    const body = { plan_hash: plan.hash, plan: readPlan(file) };
    const approved = await client.call("POST /tasks/:id/approve", { params: { id: task.id }, body });
    rmSync(folder, { recursive: true });
    return approved;
  } catch (error) {
    context.progress(`Your version of the plan is in ${file}.\n`);
    throw error;
  }
}

const HEADING = "# Save and close this file to approve the plan as it is here. Delete everything to stop.\n";

function openEditor({ env }: CliContext, file: string): void {
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  // Like git: the setting may contain options, such as `code --wait`.
  const { status, error } = spawnSync("sh", ["-c", `${editor} "$@"`, editor, file], { stdio: "inherit" });
  if (status === 0) return;
  throw new UserError(
    "invalid",
    `The editor (${editor}) failed${error === undefined ? "" : `: ${error.message}`}. The plan was not approved.`,
    "Set EDITOR to an editor that waits until the file is closed.",
  );
}

function readPlan(file: string): Record<string, unknown> {
  const text = readFileSync(file, "utf8");
  const plan: unknown = parseYaml(text);
  if (plan === null) throw new UserError("invalid", "The file is empty, so the plan was not approved.");
  if (typeof plan === "object" && !Array.isArray(plan)) return { ...plan };
  throw new UserError("invalid", "The edited plan is no YAML with keys and values, so it was not approved.");
}

function parseYaml(text: string): unknown {
  try {
    return parse(text) ?? null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError("invalid", `The edited plan is no valid YAML, so it was not approved: ${reason}`);
  }
}
