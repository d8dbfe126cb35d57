import { outcomeOf, type BareOutcome, type Outcome } from "../../core/outcomes/outcome.ts";
import type { Pipeline, State } from "../../core/pipeline/pipeline.ts";
import {
  NO_TOKENS,
  type CheckResult,
  type CostBasis,
  type EndedBy,
  type Exit,
  type Run,
  type Tokens,
} from "../../core/task/run.ts";
import type { SandboxMode, Settings } from "../../core/settings/settings.ts";
import type { Artifact, Implementer, PublishedBranch, Task } from "../../core/task/task.ts";
import type { Lease, Project } from "../../ports/store.ts";
import type { ExitRecord } from "../../ports/supervisor.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";

/** Input of a step. The task is a snapshot from the start of the step. */
export interface StepContext {
  readonly ports: EnginePorts;
  readonly task: Task;
  readonly run: Run;
  readonly lease: Lease;
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly state: State;
  /** Aborted when this process must release the run. It then commits nothing. */
  readonly signal: AbortSignal;
}

/** What the project's own commands (set-up and checks) need to run. They also run outside of a task, to measure a base commit. */
export interface CommandContext extends Pick<StepContext, "ports" | "project" | "settings"> {
  readonly task: Pick<Task, "id" | "branch">;
  readonly run: Pick<Run, "id" | "step" | "role" | "attempt">;
}

/** The commits that a step starts from. */
export interface Work {
  readonly baseCommit: string;
  /** The task's newest commit; equal to the base until there is work. */
  readonly headCommit: string;
  /** Belongs to the commits: a work that contains commits of people says so here. */
  readonly published?: PublishedBranch | null;
}

export interface StepResult {
  readonly outcome: Outcome;
  readonly exit: Exit | null;
  readonly endedBy: EndedBy | null;
  /** Shown as the run's error. Null if the run succeeded. */
  readonly error: string | null;
  /** The commit with the files that the run changed. */
  readonly commit: string | null;
  /** The task's commits after the step. */
  readonly work: Pick<Task, "baseCommit" | "headCommit" | "published">;
  /** Who does the rest of the work, after a variant was chosen. */
  readonly implementer?: Implementer;
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly tokens: Tokens;
  readonly pausedMs: number;
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly Artifact[];
  /** Artifacts of earlier runs that no longer apply. */
  readonly removedArtifacts: readonly Pick<Artifact, "type" | "label">[];
  /** Artifacts that could not be kept, a sentence each. They do not fail the run. */
  readonly artifactFailures: readonly string[];
  /** How often the agent called each tool. */
  readonly toolUses: Readonly<Record<string, number>>;
  /** Sandbox mode of the commands. Null if none ran or the run's record already has it. */
  readonly sandbox: SandboxMode | null;
  /** Accesses that the sandbox denied. They are reported and do not fail the run. */
  readonly denials: ExitRecord["denials"];
}

/** Thrown anywhere in a step to end it with an outcome. */
export class StepEnd extends Error {
  override readonly name = "StepEnd";
  readonly outcome: Outcome;

  constructor(outcome: Outcome);
  constructor(name: BareOutcome, summary: string);
  constructor(outcomeOrName: Outcome | BareOutcome, summary = "") {
    const outcome = typeof outcomeOrName === "string" ? outcomeOf(outcomeOrName, summary) : outcomeOrName;
    super(outcome.summary);
    this.outcome = outcome;
  }
}

export { outcomeOf };

export function redactOutcome<T extends Outcome>({ secrets: { redact } }: RedactPorts, outcome: T): T {
  return { ...outcome, summary: redact(outcome.summary), payload: redact(outcome.payload) };
}

export function resultOf(
  context: Pick<StepContext, "task">,
  outcome: Outcome,
  overrides: Partial<StepResult> = {},
): StepResult {
  return {
    outcome,
    exit: null,
    endedBy: null,
    error: null,
    commit: null,
    work: {
      baseCommit: context.task.baseCommit,
      headCommit: context.task.headCommit,
      published: context.task.published ?? null,
    },
    costUsd: 0,
    costBasis: "computed",
    tokens: NO_TOKENS,
    pausedMs: 0,
    checks: [],
    artifacts: [],
    removedArtifacts: [],
    artifactFailures: [],
    toolUses: {},
    sandbox: null,
    denials: [],
    ...overrides,
  };
}
