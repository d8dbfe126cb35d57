import { describeRelatedTask } from "../../../core/prompt/related-task.ts";
import { DOCUMENT_KINDS } from "../../../core/task/document.ts";
import { renderDocument } from "../../../core/task/render-document.ts";
import type { EnginePorts } from "../../ports.ts";

const MAX_RUNS = 1_000;

/** The text about a related task for a prompt. Empty if the task was deleted. */
export async function loadRelatedTask(
  { store, runFiles }: Pick<EnginePorts, "store" | "runFiles">,
  id: string,
): Promise<string> {
  const task = await store.tasks.getTask(id);
  if (task === null) return "";
  const documents = await Promise.all(DOCUMENT_KINDS.map((kind) => store.tasks.getDocument(id, kind, null)));
  const requests = await store.tasks.listChangeRequests([id]);
  const runs = await store.tasks.listRuns({ task: id, status: null, project: null, limit: MAX_RUNS });
  let patch: string | null = null;
  for (const run of runs.toReversed()) {
    patch = await runFiles.readDiff(run.id);
    if (patch !== null) break;
  }
  return describeRelatedTask({
    task,
    documents: documents.flatMap((document) =>
      document === null ? [] : [{ kind: document.kind, text: renderDocument(document.kind, document.content) }],
    ),
    url: requests.get(id)?.url ?? null,
    patch: patch ?? "",
  });
}
