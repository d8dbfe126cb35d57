import type { Client, TaskJson } from "../http/client/client.ts";
import type { ShownDocument } from "./print/task/document.ts";

type DocumentKind = TaskJson["documents"][number]["kind"];
type DocumentedTask = Pick<TaskJson, "id" | "plan" | "plan_hash" | "documents">;

/** Reads the newest version of each document of a task. */
export async function readDocuments(
  client: Pick<Client, "call">,
  // A daemon of an older version has no documents.
  { id, plan, plan_hash: hash, documents = [] }: Omit<DocumentedTask, "documents"> & Partial<DocumentedTask>,
): Promise<readonly ShownDocument[]> {
  const kinds = [...new Set(documents.map(({ kind }) => kind))];
  const read = (kind: DocumentKind, version?: number) =>
    client.call("GET /tasks/:id/documents/:kind", { params: { id, kind }, query: { version } });
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const newest = await read(kind);
      return newest.version === 1 ? newest : { ...newest, previous: await read(kind, newest.version - 1) };
    }),
  );
  // Earlier versions of Nightshift kept plans in the task only.
  if (plan === null || kinds.includes("plan")) return found;
  return [...found, { kind: "plan", version: 1, hash: hash ?? "", content: plan, text: "" }];
}
