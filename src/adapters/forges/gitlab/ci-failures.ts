import type { CiFailure } from "../../../ports/forge.ts";
import { MAX_CI_FAILURES } from "../shared/ci.ts";
import type { ForgeClient } from "../shared/client.ts";
import { endOfLog, nullIfUnreadable } from "../shared/logs.ts";
import { getMergeRequest } from "./read.ts";
import { job, member } from "./schemas.ts";

export async function readFailedJobs(client: ForgeClient, id: number, number: number): Promise<readonly CiFailure[]> {
  const { head_pipeline: pipeline } = await getMergeRequest(client, id, number);
  if (pipeline?.id == null) return [];
  const path = `/projects/${id}/pipelines/${pipeline.id}/jobs`;
  const jobs = await nullIfUnreadable(() => client.list(job.array(), { doing: "read the jobs of a pipeline", path }));
  const failed = (jobs ?? []).filter(({ status, allow_failure: mayFail }) => status === "failed" && mayFail !== true);
  return Promise.all(
    failed.slice(0, MAX_CI_FAILURES).map(async (each) => {
      const trace = { doing: "read the log of a job", path: `/projects/${id}/jobs/${each.id}/trace` };
      const log = await nullIfUnreadable(() => client.getText(trace));
      return { name: each.name, summary: each.failure_reason ?? "", log: log === null ? null : endOfLog(log) };
    }),
  );
}

export async function canPush(
  client: ForgeClient,
  id: number,
  { user, minimum }: { readonly user: string; readonly minimum: number },
): Promise<boolean> {
  const found = await nullIfUnreadable(() =>
    client.list(member.array(), {
      doing: "read the members of the project",
      path: `/projects/${id}/members/all`,
      query: { query: user },
    }),
  );
  return (found ?? []).some(
    (each) => each.username.toLowerCase() === user.toLowerCase() && each.access_level >= minimum,
  );
}
