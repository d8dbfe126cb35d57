import type { Client, TaskJson } from "../../http/client/client.ts";
import { askChoice, askText } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { describeDocument, type ShownDocument } from "../print/document.ts";
import { readDocuments } from "../read-documents.ts";
import { waitForTask } from "../wait/wait-for-task.ts";
import { approveEdited } from "./edit-plan.ts";

/**
 * Waits for the plan of a task, shows it and asks what to do with it, until the task continues without a decision. Returns the
 * task as it is then: it ended, waits for something else, or was left for later.
 */
export async function decideOnPlan(context: CliContext, client: Client, submitted: TaskJson): Promise<TaskJson> {
  let since: string | null = null;
  for (;;) {
    const task = await waitForTask(context, client, { id: submitted.id, since });
    const document = await findPlan(client, task);
    if (document === null) return task;
    context.progress(`\n${describeDocument(context, document)}\n`);
    const decided = await decide(context, client, { task, document });
    if (decided === null) return task;
    since = decided.updated_at;
  }
}

async function findPlan(client: Client, task: TaskJson): Promise<ShownDocument | null> {
  const { waiting_for: waiting } = task;
  if (waiting?.kind !== "approval") return null;
  return (await readDocuments(client, task)).find(({ hash }) => hash === waiting.plan_hash) ?? null;
}

const CHOICES = {
  approve: "Approve it and run it",
  edit: "Edit it, then run it",
  revise: "Ask for another plan",
  reject: "Reject it and end the task",
  later: "Decide later",
} as const;

interface Shown {
  readonly task: TaskJson;
  readonly document: ShownDocument;
}

/** Returns null if the decision is left for later. */
async function decide(context: CliContext, client: Client, { task, document }: Shown): Promise<TaskJson | null> {
  const params = { id: task.id };
  const hasProblems = Array.isArray(document.content["problems"]) && document.content["problems"].length > 0;
  const choices = Object.entries(CHOICES).filter(([name]) => !(hasProblems && name === "approve"));
  switch (await askChoice(`What should happen with this ${document.kind}?`, choices)) {
    case "approve":
      return client.call("POST /tasks/:id/approve", { params, body: { plan_hash: document.hash } });
    case "edit":
      return approveEdited(context, client, { task, plan: document });
    case "revise": {
      const feedback = await askText("What should be different?");
      return feedback === null ? null : client.call("POST /tasks/:id/revise", { params, body: { feedback } });
    }
    case "reject":
      return client.call("POST /tasks/:id/reject", { params, body: { reason: null } });
    default:
      return null;
  }
}
