import type { Outcome } from "../core/outcome.ts";
import { readReport } from "../core/read-outcome.ts";
import type { Role } from "../core/role.ts";
import type { CommandResult, ExitRecord } from "../ports/supervisor.ts";
import { setupProblem } from "./setup-workspace.ts";
import { outcomeOf, type StepContext } from "./steps/step.ts";

/** What the run came to, from what is on disk: never from what the transcript says. */
export async function conclude({ ports, run }: StepContext, role: Role, record: ExitRecord | null): Promise<Outcome> {
  if (record === null) return outcomeOf("interrupted", "the supervisor of the run died; its process tree was ended");
  const broken = brokenRecord(record);
  if (broken !== null) return broken;
  const ended = record.commands.find(({ name }) => name === "agent");
  if (ended === undefined) return concludeSetup(record);
  const file = await ports.runFiles.readOutcome(run.id);
  const reported = file.kind === "value" ? readReport(file.value, role) : null;
  if (reported?.ok === true && saysTheTruth(ended)) {
    await ports.runFiles.keepOutcome(run.id, { outcome: reported.outcome.name, ...reported.outcome.payload });
    return reported.outcome;
  }
  const failure = failureOf(ended);
  if (failure !== null) return failure;
  if (file.kind === "missing")
    return outcomeOf("invalid_output", `it ended without reporting an outcome; write ${OUTCOME_FILE_HINT}`);
  return outcomeOf("invalid_output", file.kind === "invalid" ? file.problem : problemOf(reported));
}

/** The agent was never started: the set-up failed, or somebody ended the run during it. */
function concludeSetup(record: ExitRecord): Outcome {
  const setup = record.commands.at(-1);
  const stopped =
    setup === undefined || setup.endedBy === "exit" || setup.endedBy === "timeout" ? null : failureOf(setup);
  return stopped ?? outcomeOf("setup_failed", setupProblem(record));
}

const OUTCOME_FILE_HINT = "the JSON of one to the path in NIGHTSHIFT_OUTCOME_FILE before you end";

function problemOf(reported: ReturnType<typeof readReport> | null): string {
  return reported?.ok === false ? reported.problem : "the report could not be read";
}

/** A report counts unless a person or a limit ended the run: then what stands in the file was not the agent's last word. */
function saysTheTruth({ endedBy }: CommandResult): boolean {
  return endedBy === "exit" || endedBy === "hung_after_outcome";
}

function brokenRecord({ error }: ExitRecord): Outcome | null {
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
        `it said nothing for too long and was ended after ${Math.round(durationMs / 1000)} s`,
      );
    case "cancel":
    case "kill":
      return outcomeOf("cancel", endedBy === "kill" ? "killed" : "cancelled");
    case "lost":
      return outcomeOf("interrupted", "the machine or somebody ended the supervisor");
    case "output":
      return outcomeOf("agent_error", "it printed more than allowed");
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
