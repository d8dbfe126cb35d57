import type { Run } from "../../core/task/run.ts";
import type { CheckPlace } from "../../core/task/running-check.ts";
import type { LogPart, RunFiles } from "../../ports/run-files.ts";
import type { RedactPorts } from "../ports.ts";
import { listRunEvents } from "../run/list-run-events.ts";

export interface CheckLogQuery {
  readonly name: string;
  readonly place: CheckPlace;
  /** Only what was printed before this byte offset. */
  readonly before: number | undefined;
}

export type CheckLogPorts = Parameters<typeof listRunEvents>[0] &
  RedactPorts & { readonly runFiles: Pick<RunFiles, "readLog"> };

const MAX_BYTES = 256 * 1024;

/** The output of a check, the last part first. Null if it printed nothing or its log was removed. */
export async function readCheckLog(
  ports: CheckLogPorts,
  run: Pick<Run, "id" | "task">,
  { name, place, before }: CheckLogQuery,
): Promise<LogPart | null> {
  const events = await listRunEvents(ports, run);
  const started = events.findLast(
    ({ type, data }) => type === "check.started" && data["name"] === name && data["on"] === place,
  );
  const log = started?.data["log"];
  const [, job = "", file = ""] = typeof log === "string" ? (/^([^/]+)\/(.+)$/.exec(log) ?? []) : [];
  if (job === "" || file === "") return null;
  const part = await ports.runFiles.readLog(job, file, MAX_BYTES, before);
  return part === null ? null : { ...part, text: ports.secrets.redact(part.text) };
}
