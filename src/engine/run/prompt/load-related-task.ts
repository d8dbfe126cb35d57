import { describeRelatedTask } from "../../../core/prompt/related-task.ts";
import { DOCUMENT_KINDS } from "../../../core/task/document.ts";
import { renderDocument } from "../../../core/task/render-document.ts";
import type { EnginePorts } from "../../ports.ts";
import { readNewestDiff } from "./read-newest-diff.ts";

/** The text about a related task for a prompt. Empty if the task was deleted. */
export async function loadRelatedTask(
  { store, runFiles }: Pick<EnginePorts, "store" | "runFiles">,
  id: string,
): Promise<string> {
  const task = await store.tasks.getTask(id);
  if (task === null) return "";
  const documents = await Promise.all(DOCUMENT_KINDS.map((kind) => store.tasks.getDocument(id, kind, null)));
  const requests = await store.tasks.listChangeRequests([id]);
  const patch = await readNewestDiff({ store, runFiles }, task);
  return describeRelatedTask({
    task,
    documents: documents.flatMap((document) =>
      document === null ? [] : [{ kind: document.kind, text: renderDocument(document.kind, document.content) }],
    ),
    url: requests.get(id)?.url ?? null,
    patch: patch ?? "",
  });
}
