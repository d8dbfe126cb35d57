import type { Settings } from "../../core/settings/settings.ts";
import type { TaskIssue } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

/** Fills in the title and the description of a draft from an issue of the project's forge. */
export async function readIssueIntoDraft(
  { forges }: Pick<EnginePorts, "forges">,
  draft: TaskDraft,
  { project, settings }: { readonly project: Project; readonly settings: Settings },
): Promise<{ readonly draft: TaskDraft; readonly issue: TaskIssue | null }> {
  const number = draft.issue ?? null;
  if (number === null) return { draft, issue: null };
  const forge = forges.open(project, settings);
  if (forge === null)
    throw new UserError(
      "conflict",
      `"${project.name}" has no forge, so there is no issue ${number}.`,
      "Set `forge` in nightshift.yaml, or describe the task in your own words.",
    );
  const issue = await forge.readIssue(number).catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.trouble !== "missing") throw error;
    throw new UserError(
      "not_found",
      `${forge.repository} has no issue ${number}, or the token cannot read it.`,
      `${error.message} The token needs the right to read issues.`,
    );
  });
  const description = [draft.description, issue.body].map((part) => part.trim()).filter((part) => part !== "");
  return {
    draft: {
      ...draft,
      title: draft.title ?? issue.title,
      description: [`Issue ${number}: ${issue.title}`, ...description].join("\n\n"),
    },
    issue: { number, url: issue.url },
  };
}
