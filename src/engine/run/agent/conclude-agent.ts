import type { Outcome } from "../../../core/outcomes/outcome.ts";
import { resolveRun } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import type { CommandResult, ExitRecord } from "../../../ports/supervisor.ts";
import { chooseReport } from "./choose-report.ts";
import { grantFor } from "../prepare/sandbox-policy.ts";
import { describeSetup } from "../prepare/setup-workspace.ts";
import { outcomeOf, redactOutcome, type StepContext } from "../step-context.ts";

/** Determines the outcome from the agent's report and how it ended, never from its text. */
export async function determineOutcome(
  context: StepContext,
  role: Role,
  record: ExitRecord | null,
  events: readonly TranscriptEvent[],
): Promise<Outcome> {
  const { ports, run } = context;
  if (record === null) return outcomeOf("interrupted", "the supervisor of the run died; its process tree was ended");
  const broken = findRecordError(record);
  if (broken !== null) return broken;
  const ended = record.commands.find(({ name }) => name === "agent");
  if (ended === undefined) return concludeSetup(context, record);
  const scope = { role, plan: context.pipeline.plan };
  const reported = await chooseReport(ports, run.id, { scope, events, acceptsFile: acceptsOutcomeFile(context, role) });
  if (!reported.ok) return failureOf(ended) ?? outcomeOf("invalid_output", reported.problem);
  const failure = isReportReliable(ended) ? null : failureOf(ended);
  if (failure !== null) return failure;
  const outcome = redactOutcome(ports, reported.outcome);
  await ports.runFiles.keepOutcome(run.id, { outcome: outcome.name, ...outcome.payload });
  return outcome;
}

function acceptsOutcomeFile(context: StepContext, role: Role): boolean {
  const { ports, settings, state, task } = context;
  if (grantFor(context, role).executes) return true;
  const { agentSettings } = resolveRun(settings, state.agent, task.options, role);
  return !ports.agents.create(agentSettings).capabilities.mcp;
}

/** The agent was never started: the set-up failed, or the run was ended during it. */
async function concludeSetup(context: StepContext, record: ExitRecord): Promise<Outcome> {
  const setup = record.commands.at(-1);
  const stopped =
    setup === undefined || setup.endedBy === "exit" || setup.endedBy === "timeout" ? null : failureOf(setup);
  return stopped ?? outcomeOf("setup_failed", await describeSetup(context, record));
}

/** A report does not count if a person or a limit ended the run, because the agent was not finished. */
function isReportReliable({ endedBy }: CommandResult): boolean {
  return endedBy === "exit" || endedBy === "hung_after_outcome";
}

function findRecordError({ error }: ExitRecord): Outcome | null {
  if (error === null) return null;
  return outcomeOf(error.kind === "internal" ? "interrupted" : error.kind, error.message);
}

function failureOf({ endedBy, exit, startError, durationMs }: CommandResult): Outcome | null {
  if (startError !== null) return outcomeOf("agent_missing", startError);
  switch (endedBy) {
    case "timeout":
      return outcomeOf("timeout", `it was still running after ${Math.round(durationMs / 1000)} s`);
    case "idle":
      return outcomeOf(
        "timeout",
        `it printed nothing for too long and was ended after ${Math.round(durationMs / 1000)} s`,
      );
    case "cancel":
    case "kill":
      return outcomeOf("cancel", endedBy === "kill" ? "killed" : "cancelled");
    case "lost":
      return outcomeOf("interrupted", "the supervisor was terminated from outside");
    case "output":
      return outcomeOf("agent_error", "it printed more than allowed and was ended");
    case "memory":
      return outcomeOf("agent_error", "it exceeded its memory limit and was ended; see the transcript");
    case "disk":
      return outcomeOf("agent_error", "it exceeded its disk limit and was ended; see the transcript");
    case "budget":
      return outcomeOf("budget_exhausted", "it reached its budget limit; the transcript shows the cost");
    case "refused":
      return outcomeOf("sandbox_refused", "the sandbox refused to start it");
    case "exit":
    case "hung_after_outcome":
      return exit.code === 0 ? null : outcomeOf("agent_error", describeExit(exit.code, exit.signal));
  }
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null
    ? `it exited with code ${code ?? "unknown"} and reported no outcome`
    : `it was ended by ${signal}`;
}
