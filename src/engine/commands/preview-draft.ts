import { findMainPath, limitsBack } from "../../core/pipeline/main-path.ts";
import type { Facts, Pipeline, State } from "../../core/pipeline/pipeline.ts";
import { findStopState } from "../../core/pipeline/stop-after.ts";
import { least, resolveRun, type RunSettings } from "../../core/settings/resolve-run.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { requireRight, type Requester } from "../../core/task/requester.ts";
import type { Role } from "../../core/task/role.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import type { AgentChoice, Task } from "../../core/task/task.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Project } from "../../ports/store.ts";
import { limitsOf } from "../advance-params.ts";
import { factsOf, type EnginePorts } from "../ports.ts";
import { checkDependenciesOf, requireDependencies, requireRelated } from "./dependencies.ts";
import { requireAcceptedChecks } from "./require/require-accepted-checks.ts";
import { requireKeys } from "./require/require-agents.ts";
import { requireAllowedDirectories } from "./require/require-directories.ts";
import { requirePlace } from "./require/require-place.ts";
import { requirePlanning } from "./require/require-planning.ts";
import { requireProject } from "./require/require-project.ts";
import { makeTask } from "./submit.ts";
import { requireVariants } from "./variants/require-variants.ts";

/** What a draft would do if it were submitted as it is. */
export interface DraftPreview {
  /** The way of a task whose steps succeed the first time. Empty if the project or the pipeline cannot be used. */
  readonly steps: readonly PreviewStep[];
  /** What the task may spend in total. Null: nothing limits it. */
  readonly maxUsd: number | null;
  readonly taskTimeoutMs: number | null;
  /** The forge where the change is proposed. Null: only the branch is pushed. */
  readonly forge: string | null;
  /** Whether the task waits for others that have not succeeded yet. */
  readonly isHeld: boolean;
  /** Why it cannot be submitted, by the key of the draft that has to change. */
  readonly problems: readonly DraftProblem[];
}

export interface PreviewStep {
  readonly state: string;
  readonly kind: State["step"]["kind"];
  readonly role: Role | null;
  readonly waitsFor: string | null;
  /** Several for a step that best of N repeats. */
  readonly agents: readonly AgentChoice[];
  readonly timeoutMs: number | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  /** How often a task may go back from here. */
  readonly limits: readonly { readonly name: string; readonly max: number }[];
  readonly checks: readonly string[];
  /** The task stops after this step, because the draft says so. */
  readonly isLast: boolean;
}

export interface DraftProblem {
  readonly key: string;
  readonly message: string;
}

const NOTHING: Omit<DraftPreview, "problems"> = {
  steps: [],
  maxUsd: null,
  taskTimeoutMs: null,
  forge: null,
  isHeld: false,
};

/** Reads settings only: it starts nothing, stores nothing, and asks no forge about an issue or a change request. */
export async function previewDraft(ports: EnginePorts, draft: TaskDraft, actor: Requester): Promise<DraftPreview> {
  const problems: DraftProblem[] = [];
  const attempt = async <T>(key: string, check: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push({ key, message: error.message });
      return null;
    }
  };
  const project = await attempt("project", () => requireProject(ports.store, draft.project));
  const settings = project && (await attempt("project", () => ports.projects.settings(project)));
  const parsed = project && (await attempt("pipeline", () => ports.projects.pipeline(project, draft.pipeline)));
  if (project === null || settings === null || parsed === null) return { ...NOTHING, problems };
  const { pipeline } = parsed;
  const task = makeTask(ports, { draft: { ...draft, description: "preview" }, actor, settings, pipeline });
  const drafted = { ports, project, settings, pipeline, draft, actor, task };
  for (const [key, check] of listChecks(drafted)) await attempt(key, check);
  const facts = factsOf(task, settings);
  const until =
    draft.until == null ? null : await attempt("until", () => findStopState(pipeline, facts, draft.until ?? ""));
  const steps = await describeSteps(drafted, facts, until, attempt);
  return {
    steps,
    maxUsd: least([draft.budgetUsd, settings.budget.taskUsd]),
    taskTimeoutMs: settings.limits.taskTimeoutMs,
    forge: settings.forge === null ? null : (settings.forge.url ?? settings.forge.kind),
    isHeld: await isHeld(ports, task, draft.after ?? []),
    problems,
  };
}

interface Drafted {
  readonly ports: EnginePorts;
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly draft: TaskDraft;
  readonly actor: Requester;
  readonly task: Task;
}

type Check = readonly [key: string, check: () => unknown];

/** The same checks as those of a submission, each with the field that it is about. */
function listChecks({ ports, project, settings, pipeline, draft, actor, task }: Drafted): readonly Check[] {
  const { bestOf } = draft;
  return [
    ["auto_approve", () => draft.autoApprove && requireRight(actor, "approve", "Submitting a task with auto-approval")],
    [
      "without_checks",
      () => draft.withoutChecks && requireRight(actor, "approve", "Submitting a task without the project's checks"),
    ],
    ["planning_timeout_ms", () => requirePlanning(pipeline, draft)],
    ["allow_dirs", () => requireAllowedDirectories(ports, { pipeline, project, directories: draft.allowDirs ?? [] })],
    ["in_place", () => requirePlace(project, pipeline, draft)],
    ["without_checks", () => requireAcceptedChecks(ports, project, draft.withoutChecks)],
    ["best_of", () => bestOf !== undefined && requireVariants(ports, bestOf, { pipeline, settings, task })],
    ["after", () => requireDependencies(ports, draft.after ?? [])],
    ["related", () => requireRelated(ports, draft.related ?? null)],
  ];
}

type Attempt = <T>(key: string, check: () => T | Promise<T>) => Promise<T | null>;

async function describeSteps(
  drafted: Drafted,
  facts: Facts,
  until: string | null,
  attempt: Attempt,
): Promise<readonly PreviewStep[]> {
  const { ports, settings, pipeline, task } = drafted;
  const path = findMainPath(pipeline, facts);
  const end = path.findIndex(({ name }) => name === until);
  const shown = end < 0 ? path : path.slice(0, end + 1);
  // All steps have the same problem if an agent is not known, so it is reported once.
  const areKnown = await attempt(findAgentKey(drafted), () => {
    for (const { step, agent } of shown)
      if (step.kind === "agent")
        ports.agents.create(resolveRun(settings, agent, task.options, step.role).agentSettings);
    return true;
  });
  if (areKnown === true) await attempt("agent", () => requireKeys(ports, { pipeline, settings, task }));
  return shown.map((state) =>
    describeStep(drafted, { state, path, isLast: state.name === until, areKnown: areKnown ?? false }),
  );
}

/** A name that is not a model's is the other reason why a run cannot be resolved. */
function findAgentKey({ settings, pipeline, task }: Drafted): "agent" | "model" {
  const options = { ...task.options, model: null };
  try {
    for (const { step, agent } of Object.values(pipeline.states))
      if (step.kind === "agent") resolveRun(settings, agent, options, step.role);
    return "model";
  } catch {
    return "agent";
  }
}

interface StepPlace {
  readonly state: State;
  readonly path: readonly State[];
  readonly isLast: boolean;
  readonly areKnown: boolean;
}

function describeStep({ settings, task, draft }: Drafted, { state, path, isLast, areKnown }: StepPlace): PreviewStep {
  const { step } = state;
  const role = step.kind === "agent" ? step.role : null;
  const run = role === null || !areKnown ? null : resolveRun(settings, state.agent, task.options, role);
  return {
    state: state.name,
    kind: step.kind,
    role,
    waitsFor: step.kind === "wait" ? step.for : null,
    agents: agentsOf(run, role, draft),
    timeoutMs: run?.timeoutMs ?? null,
    maxTurns: run?.maxTurns ?? null,
    maxUsd: run?.maxBudgetUsd ?? null,
    limits: limitsBack(state, path, limitsOf(settings)),
    checks: step.kind === "checks" ? checkNames(settings) : [],
    isLast,
  };
}

function agentsOf(run: RunSettings | null, role: Role | null, { bestOf }: TaskDraft): readonly AgentChoice[] {
  if (role === "implement" && bestOf !== undefined) return bestOf;
  return run === null ? [] : [{ agent: run.agent, model: run.model }];
}

function checkNames({ checks, scanSecrets }: Settings): readonly string[] {
  return [...checks.map(({ name }) => name), ...(scanSecrets ? ["no-secrets"] : [])];
}

async function isHeld(ports: EnginePorts, task: Task, after: readonly string[]): Promise<boolean> {
  const check = await checkDependenciesOf(ports, { ...task, options: { ...task.options, after } });
  return check.kind !== "ready";
}
