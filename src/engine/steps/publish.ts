import type { Artifact } from "../../core/task.ts";
import { branchName } from "../../core/branch-name.ts";
import { judgeChange } from "../judge-change.ts";
import type { Work } from "../prepare-work.ts";
import { readTask } from "../transact.ts";
import { outcomeOf, resultOf, StepEnd, type StepContext, type StepResult } from "./step.ts";

/**
 * One commit on top of the base, pushed as the task's branch. Nothing counts as published before the remote has it.
 * Every part gives the same result when repeated, so a crash in between costs nothing.
 */
export async function runPublishStep(context: StepContext): Promise<StepResult> {
  const { ports, task, run, project, settings } = context;
  const { baseCommit, headCommit } = task;
  if (baseCommit === null || headCommit === null || baseCommit === headCommit)
    throw new StepEnd("agent_error", "there is nothing to publish: the task has no commit of its own");
  await requireJudged(context, { baseCommit, headCommit });
  const branch = task.branch ?? branchName(settings.workspace.branch, task);
  const commit = await ports.workspaces.squash({
    project: project.name,
    task: task.id,
    commit: headCommit,
    base: baseCommit,
    message: commitMessage(context),
    at: task.createdAt,
  });
  if (await isCalledOff(context)) return resultOf(context, outcomeOf("cancel", "cancelled before it was published"));
  await ports.workspaces.push({ project: project.name, task: task.id, remote: project.remote, commit, branch });
  ports.pass("branch.pushed");
  const artifacts: readonly Artifact[] = [
    { type: "branch", label: branch, url: null, data: { remote: withoutCredentials(project.remote) } },
    { type: "commit", label: commit.slice(0, 12), url: null, data: { commit, base: baseCommit } },
  ];
  return resultOf(
    context,
    outcomeOf("published", `${branch} at ${commit.slice(0, 12)}`, { branch, commit, run: run.id }),
    {
      commit,
      artifacts,
    },
  );
}

/** What leaves the house is what was judged: a pipeline may have no checks, and a rebase makes another commit of it. */
async function requireJudged(context: StepContext, work: Work): Promise<void> {
  const { ports, task } = context;
  const runs = await ports.store.listRuns({ task: task.id, status: null, project: null, limit: 1000 });
  const passed = runs.findLast(({ step, outcome }) => step === "checks" && outcome === "checks_passed");
  if (passed?.payload?.["commit"] === work.headCommit) return;
  const { refusal, question } = await judgeChange(context, work);
  const problem = refusal ?? question;
  if (problem !== null) throw new StepEnd("refused", `the change must not be published as it is:\n${problem}`);
}

/** There is no process to stop here, so people's orders are looked for just before the branch leaves the house. */
async function isCalledOff({ ports, task, signal }: StepContext): Promise<boolean> {
  for (;;) {
    const { order, status } = await readTask(ports, task.id);
    if (order !== null || status !== "paused") return order !== null;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
  }
}

const LOOK_MS = 250;

/** `describe` writes it for nightly improvements; the other pipelines say what the implementer summed up. */
function commitMessage({ task, settings }: StepContext): string {
  const summary = task.context.findLast(({ kind }) => kind === "implementation_summary")?.text ?? "";
  const trailer = settings.commitTrailer;
  return [task.title, summary === task.title ? "" : summary, trailer].filter((part) => part !== "").join("\n\n");
}

function withoutCredentials(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
