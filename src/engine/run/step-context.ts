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
import type { Artifact, Task } from "../../core/task/task.ts";
import type { Lease, Project } from "../../ports/store.ts";
import type { ExitRecord } from "../../ports/supervisor.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";

/** Everything a step needs to know. The task is as it was when the step began. */
export interface StepContext {
  readonly ports: EnginePorts;
  readonly task: Task;
  readonly run: Run;
  readonly lease: Lease;
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly state: State;
  /** Aborted when this process must let go of the run: it then commits nothing. */
  readonly signal: AbortSignal;
}

/** The commits that a step starts from. */
export interface Work {
  readonly baseCommit: string;
  /** Where the task's work stands; the base itself until there is work. */
  readonly headCommit: string;
}

/** What a step came to. */
export interface StepResult {
  readonly outcome: Outcome;
  readonly exit: Exit | null;
  readonly endedBy: EndedBy | null;
  /** What to show as the run's error; null when it went as it should. */
  readonly error: string | null;
  /** The commit made of the files that the run left. */
  readonly commit: string | null;
  /** What the step changed about the task besides its state. */
  readonly work: { readonly baseCommit: string | null; readonly headCommit: string | null };
  readonly costUsd: number | null;
  readonly costBasis: CostBasis;
  readonly tokens: Tokens;
  readonly pausedMs: number;
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly Artifact[];
  /** Artifacts that could not be kept, a sentence each. They do not fail the run. */
  readonly artifactFailures: readonly string[];
  /** How often the agent called each tool. */
  readonly toolUses: Readonly<Record<string, number>>;
  /** The wall that commands ran in; null where none ran, or where the run's record says so already. */
  readonly sandbox: SandboxMode | null;
  /** What the sandbox refused meanwhile: told, and nothing else. */
  readonly denials: ExitRecord["denials"];
}

/** Thrown by a step to end it with an outcome, from however deep. */
export class StepEnd extends Error {
  override readonly name = "StepEnd";
  readonly outcome: Outcome;

  constructor(outcome: Outcome);
  constructor(name: BareOutcome, summary: string);
  constructor(given: Outcome | BareOutcome, summary = "") {
    const outcome = typeof given === "string" ? outcomeOf(given, summary) : given;
    super(outcome.summary);
    this.outcome = outcome;
  }
}

export { outcomeOf };

/** The same outcome without the secrets that are known. */
export function redactOutcome<Given extends Outcome>({ secrets: { redact } }: RedactPorts, outcome: Given): Given {
  return { ...outcome, summary: redact(outcome.summary), payload: redact(outcome.payload) };
}

export function resultOf(
  context: Pick<StepContext, "task">,
  outcome: Outcome,
  known: Partial<StepResult> = {},
): StepResult {
  return {
    outcome,
    exit: null,
    endedBy: null,
    error: null,
    commit: null,
    work: { baseCommit: context.task.baseCommit, headCommit: context.task.headCommit },
    costUsd: 0,
    costBasis: "computed",
    tokens: NO_TOKENS,
    pausedMs: 0,
    checks: [],
    artifacts: [],
    artifactFailures: [],
    toolUses: {},
    sandbox: null,
    denials: [],
    ...known,
  };
}
