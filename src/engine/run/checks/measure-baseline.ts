import { canonicalJson } from "../../../core/text/canonical-json.ts";
import { isDeciding } from "../../../core/task/checks/judge-change.ts";
import { needsBaseline, type BaselineResult } from "../../../core/task/checks/judge-check.ts";
import type { CheckSettings } from "../../../core/settings/settings.ts";
import type { Project } from "../../../ports/store.ts";
import type { Job, JobResult } from "../../../ports/supervisor.ts";
import type { EnginePorts } from "../../ports.ts";
import { withTaskLock } from "../../transact.ts";
import { sourceOf } from "../prepare/source-of.ts";
import { endJobs } from "../run-jobs.ts";
import { StepEnd } from "../step-context.ts";
import { runChecks, type CheckHost, type CheckTree } from "./run-checks.ts";

export interface BaselineParams {
  readonly tree: Pick<CheckTree, "job" | "name">;
  readonly commit: string;
  readonly checks: readonly CheckSettings[];
  /** Whether a result from before is still good enough. Default: always. */
  readonly isUsable?: (result: BaselineResult) => boolean;
}

/**
 * Runs checks on a base commit. Results are kept, so that each check runs once per base commit. A check that could not run
 * is measured again, because its cause is usually outside of the repository, such as a program that is not installed.
 */
export async function measureBaseline(host: CheckHost, params: BaselineParams): Promise<readonly BaselineResult[]> {
  const { tree, commit, checks, isUsable = () => true } = params;
  const known = new Map((await loadKnown(host, commit, checks)).filter(([, result]) => isUsable(result)));
  const missing = checks.filter(({ name }) => !known.has(name));
  if (missing.length > 0)
    for (const result of await measure(host, { ...tree, commit, place: "base", overlay: null }, missing))
      known.set(result.name, result);
  return checks.flatMap(({ name }) => known.get(name) ?? []);
}

async function loadKnown(
  host: CheckHost,
  commit: string,
  checks: readonly CheckSettings[],
): Promise<readonly (readonly [name: string, BaselineResult])[]> {
  const { ports } = host;
  const known = await Promise.all(
    checks.map(async (check) => {
      const result = await ports.store.projects.getBaseline(keyOf(host, commit, check), ports.clock.now());
      return result === null ? [] : [[check.name, { ...result, name: check.name }] as const];
    }),
  );
  return known.flat();
}

async function measure(
  host: CheckHost,
  tree: CheckTree,
  checks: readonly CheckSettings[],
): Promise<readonly BaselineResult[]> {
  const { ports, project } = host;
  const { results } = await runChecks(host, tree, checks);
  const measuredAt = ports.clock.now();
  const measured = results.map(({ name, status, exitCode, durationMs, tail, counts, failures }): BaselineResult => ({
    name,
    status,
    exitCode,
    durationMs,
    tail: ports.secrets.redact(tail),
    counts,
    failures: ports.secrets.redact(failures),
    measuredAt,
  }));
  for (const result of measured) {
    const check = checks.find(({ name }) => name === result.name);
    if (check === undefined || result.status === "could_not_run") continue;
    await ports.store.projects.keepBaseline(keyOf(host, tree.commit, check), project.name, result);
  }
  return measured;
}

/** Raised when the kept part of an output changes, because the outputs of base and change are compared. */
const OUTPUT_VERSION = 2;

/** Changes with everything that decides the result: the commit, the commands, and what they can use and reach. */
function keyOf({ ports, project, settings }: CheckHost, commit: string, check: CheckSettings): string {
  const { command, timeoutMs } = check;
  const { setup, setupTimeoutMs, copy, link } = settings.workspace;
  const { sandbox } = settings;
  const decisive = {
    output: OUTPUT_VERSION,
    commit,
    command,
    timeoutMs,
    setup,
    setupTimeoutMs,
    copy,
    link,
    sandbox,
    path: ports.host.env["PATH"],
  };
  return ports.digest(canonicalJson({ project: project.name, ...decisive }));
}

export interface ProjectBaseline {
  readonly branch: string;
  readonly commit: string;
  /** In the order of the settings. Empty if the project has no checks. */
  readonly results: readonly MeasuredCheck[];
}

export interface MeasuredCheck extends BaselineResult {
  /** Whether it decides about a change. The others are only shown. */
  readonly decides: boolean;
}

/**
 * Runs all checks of a project on the newest commit of its default branch, outside of any task. One measurement per project
 * runs at a time; a second caller gets the kept results. Checks that did not pass run again, because people ask after they
 * repaired something. Throws a RemoteError if the remote cannot be reached.
 */
export async function measureProject(
  ports: EnginePorts,
  project: Project,
  { signal }: { readonly signal: AbortSignal },
): Promise<ProjectBaseline> {
  const asked = ports.clock.now();
  const stored = await ports.projects.settings(project);
  const settings = { ...stored, sandbox: { ...stored.sandbox, mode: ports.sandbox.mode } };
  const { branch, commit } = await ports.workspaces.sync(sourceOf({ ports, project, settings }));
  // No task has this id, so the sweep removes what a crash leaves behind. The lock keeps it away until then.
  const task = { id: `baseline-${ports.digest(project.name).slice(0, 16)}`, branch: null };
  return withTaskLock(ports, task.id, async () => {
    const run = { id: ports.clock.newId("run"), step: "checks", role: null, attempt: 1 } as const;
    const host: CheckHost = { ports, project, settings, task, run, perform: (job) => performJob(ports, job, signal) };
    const tree = { job: run.id, name: run.id };
    const { checks, failOnWarning } = settings;
    // A caller that waited for the lock gets what the other one measured meanwhile.
    const isUsable = createUsableCheck(asked);
    try {
      const results = await measureBaseline(host, { tree, commit, checks, isUsable });
      const deciding = new Set(checks.filter((check) => isDeciding(check, failOnWarning)).map(({ name }) => name));
      return { branch, commit, results: results.map((each) => ({ ...each, decides: deciding.has(each.name) })) };
    } finally {
      await removeTraces(ports, task.id, run.id);
    }
  });
}

/** A result that says nothing about the base is measured again, unless it is newer than the request. */
function createUsableCheck(asked: number): (result: BaselineResult) => boolean {
  return ({ status, measuredAt }) => !needsBaseline({ status }) || measuredAt >= asked;
}

async function performJob(ports: EnginePorts, job: Job, signal: AbortSignal): Promise<JobResult> {
  const problem = job.sandbox === "enforce" ? await ports.sandbox.findProblem() : null;
  if (problem !== null) throw new StepEnd("sandbox_refused", problem);
  await ports.supervisors.start(job);
  return ports.supervisors.watch(job.dir, { signal, onOutput: () => undefined });
}

async function removeTraces(ports: EnginePorts, task: string, run: string): Promise<void> {
  await endJobs(ports, run);
  await ports.workspaces.remove(task);
  await ports.runFiles.cleanTask(task);
  await ports.runFiles.removeRun(run);
}
