import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { pollUntil } from "../../support/cli-user.ts";
import type { PageUser } from "./page-user.ts";

/** An event as the scripted agent prints it, or a line that it prints as it is. */
export type PrintedLine = Readonly<Record<string, unknown>> | string;

const START = Date.UTC(2026, 10, 17, 21, 14);

/** Replaces the transcript of a run. Returns the byte offset of each line. */
export async function writeTranscript(
  user: PageUser,
  run: string,
  lines: Iterable<PrintedLine>,
): Promise<readonly number[]> {
  const file = createWriteStream(join(user.home, "runs", run, "transcript.jsonl"));
  const offsets: number[] = [];
  let size = 0;
  for (const line of lines) {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const at = START + offsets.length * 100;
    const bytes = Buffer.from(`${JSON.stringify({ at, from: "stdout", command: "agent", text })}\n`);
    offsets.push(size);
    size += bytes.length;
    if (!file.write(bytes)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  return offsets;
}

/** Submits a task and waits until it is as wanted. */
export async function submitTask(
  user: PageUser,
  title: string,
  isReady: (task: TaskJson) => boolean,
): Promise<TaskJson> {
  const body = { title, description: title, project: "shop", pipeline: "chore" };
  const { id } = await user.client.call("POST /tasks", { body });
  return await pollUntil(() => user.client.call("GET /tasks/:id", { params: { id } }), isReady);
}

export const hasEnded = ({ status }: TaskJson): boolean => ["succeeded", "failed", "cancelled"].includes(status);

/** The run of the task's first agent. */
export function firstRun({ runs }: TaskJson): string {
  const run = runs.find(({ step }) => step === "agent");
  if (run === undefined) throw new Error("no agent has run");
  return run.id;
}
