import type { Client, TaskJson } from "../http/client/client.ts";
import type { ShownDocument } from "./print/document.ts";

type DocumentedTask = Pick<TaskJson, "id" | "plan" | "plan_hash" | "documents">;

/** Reads the newest version of each document of a task. */
export async function readDocuments(
  client: Pick<Client, "call">,
  // A daemon of an older version has no documents.
  { id, plan, plan_hash: hash, documents = [] }: Omit<DocumentedTask, "documents"> & Partial<DocumentedTask>,
): Promise<readonly ShownDocument[]> {
  const kinds = [...new Set(documents.map(({ kind }) => kind))];
  const found = await Promise.all(
    kinds.map((kind) => client.call("GET /tasks/:id/documents/:kind", { params: { id, kind } })),
  );
  // Earlier versions of Nightshift kept plans in the task only.
  if (plan === null || kinds.includes("plan")) return found;
  return [...found, { kind: "plan", version: 1, hash: hash ?? "", content: plan, text: "" }];
}
