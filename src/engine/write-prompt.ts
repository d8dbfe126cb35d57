import { ROLE_OUTCOMES, SHARED_AGENT_OUTCOMES } from "../core/outcome.ts";
import { buildContext } from "../core/prompt-context.ts";
import type { Role } from "../core/role.ts";
import type { RunPaths } from "../ports/run-files.ts";
import type { Work } from "./prepare-work.ts";
import { grantFor } from "./sandbox-policy.ts";
import type { StepContext } from "./steps/step.ts";

export interface PromptParams {
  readonly role: Role;
  readonly paths: RunPaths;
  readonly work: Work;
  /** The agent goes on in a session that knows all but the newest. */
  readonly isResumed: boolean;
}

const MAX_DIFF_BYTES = 200_000;

/** Everything the agent is told, in one file: the supervisor feeds it to the agent, people can read it afterwards. */
export async function writePrompt(context: StepContext, { role, paths, work, isResumed }: PromptParams): Promise<void> {
  const { ports, task, run, project, settings } = context;
  const text = buildContext({
    preamble: await ports.projects.preamble(),
    template: await ports.projects.prompt(project, role),
    append: settings.roles[role].append,
    instructions: settings.instructions,
    role,
    task: { ...task, trigger: run.trigger },
    artifacts: await ports.store.listArtifacts(task.id),
    values: {
      project: project.name,
      defaultBranch: project.defaultBranch,
      repoUrl: null,
      reviewer: settings.forge?.reviewer ?? null,
      commands: grantFor(context, role).commands,
      date: dateIn(settings.timeZone, run.createdAt),
      category: null,
    },
    data: await dataFor(context, role, work),
    variables: {},
    outcomes: [...ROLE_OUTCOMES[role], ...SHARED_AGENT_OUTCOMES],
    outcomeFile: paths.outcomeFile,
    isResumed,
    nonce: ports.digest(`${run.id} ${run.token} ${ports.clock.newId("run")}`).slice(0, 16),
  });
  await ports.runFiles.writePrompt(run.id, text);
}

/** A reviewer judges the change as it stands; the others read the files themselves. */
async function dataFor(
  { ports, task, project }: StepContext,
  role: Role,
  work: Work,
): Promise<{ readonly diff?: string }> {
  if (role !== "review" || work.baseCommit === work.headCommit) return {};
  const range = { from: work.baseCommit, to: work.headCommit, maxBytes: MAX_DIFF_BYTES };
  const diff = await ports.workspaces.diff({ project: project.name, task: task.id, ...range });
  const [patch, cut] = [ports.redact(diff.patch), diff.cut];
  return { diff: cut ? `${patch}\n[the rest is left out: read the files]` : patch };
}

function dateIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
}
