import type { CiFailure } from "../../../ports/forge.ts";
import { checkRunVerdict, commitStatusVerdict, MAX_CI_FAILURES } from "../shared/ci.ts";
import type { ForgeClient } from "../shared/client.ts";
import { endOfLog, nullIfUnreadable } from "../shared/logs.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import { emptyIfForbidden, getPull, listCheckRuns, listStatuses } from "./read.ts";
import { annotation, permission, type CheckRun } from "./schemas.ts";

export async function readFailedChecks(
  client: ForgeClient,
  repo: RepositoryName,
  number: number,
): Promise<readonly CiFailure[]> {
  const { head } = await getPull(client, repo, number);
  const [runs, statuses] = await Promise.all([
    listCheckRuns(client, repo, head.sha),
    listStatuses(client, repo, head.sha),
  ]);
  const failedRuns = runs.filter((run) => checkRunVerdict(run) === "failed").slice(0, MAX_CI_FAILURES);
  return [
    ...(await Promise.all(failedRuns.map((run) => describeRun(client, repo, run)))),
    ...statuses
      .filter(({ state }) => commitStatusVerdict(state) === "failed")
      .slice(0, MAX_CI_FAILURES)
      .map(({ context, description }) => ({ name: context ?? "status", summary: description ?? "", log: null })),
  ];
}

async function describeRun(client: ForgeClient, repo: RepositoryName, run: CheckRun): Promise<CiFailure> {
  const [annotations, log] = await Promise.all([listAnnotations(client, repo, run), readJobLog(client, repo, run)]);
  const summary = [run.output?.title ?? "", run.output?.summary ?? "", ...annotations]
    .filter((part) => part.trim() !== "")
    .join("\n");
  return { name: run.name ?? `check ${run.id}`, summary, log };
}

async function listAnnotations(client: ForgeClient, repo: RepositoryName, { id }: CheckRun): Promise<string[]> {
  const found = await emptyIfForbidden(() =>
    client.list(annotation.array(), {
      doing: "read annotations",
      path: repoPath(repo, "check-runs", id, "annotations"),
    }),
  );
  return found.map(({ path, start_line: line, message }) => `${path}:${line}: ${message ?? ""}`);
}

/** The check run of a job of GitHub Actions has the job's id. Other apps keep their logs elsewhere. */
async function readJobLog(client: ForgeClient, repo: RepositoryName, { id, app }: CheckRun): Promise<string | null> {
  if (app?.slug !== "github-actions") return null;
  const path = repoPath(repo, "actions", "jobs", id, "logs");
  const log = await nullIfUnreadable(() => client.getText({ doing: "read the log of a job", path }));
  // Every line starts with a timestamp.
  return log === null ? null : endOfLog(log.replaceAll(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, ""));
}

export async function canPush(client: ForgeClient, repo: RepositoryName, user: string): Promise<boolean> {
  const path = repoPath(repo, "collaborators", user, "permission");
  const found = await nullIfUnreadable(() => client.get(permission, { doing: "read the permission of a user", path }));
  return found !== null && ["admin", "write"].includes(found.permission);
}
