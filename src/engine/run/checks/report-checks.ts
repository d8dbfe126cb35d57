import { describeCheckStatus } from "../../../core/task/checks/describe-check.ts";
import { newEvent, type EventDraft } from "../../../core/task/event.ts";
import type { CheckResult } from "../../../core/task/run.ts";
import { describeCheckPlace, type CheckPlace } from "../../../core/task/running-check.ts";
import type { CommandProgress, Job, JobResult } from "../../../ports/supervisor.ts";
import { transact } from "../../transact.ts";
import { listRunEvents } from "../list-run-events.ts";
import type { StepContext } from "../step-context.ts";
import { supervise } from "../supervise.ts";

/** The start or the end of a check on one tree. */
export interface CheckReport extends Pick<CheckResult, "name" | "severity"> {
  readonly at: number;
  readonly place: CheckPlace;
  /** Path of its log in the directory of all runs. No other check of the run has the same. */
  readonly log: string;
  /** Null at the start. */
  readonly result: Pick<CheckResult, "status" | "exitCode" | "durationMs"> | null;
}

/** Returns null for the commands of a job that are not checks. */
export type ToReport = (progress: CommandProgress) => CheckReport | null;

/** Runs a job of checks and records an event for each start and end of a check as it happens. */
export async function superviseChecks(context: StepContext, job: Job, toReport: ToReport): Promise<JobResult> {
  const events = createEventWriter(context);
  const result = await supervise(context, job, {
    onProgress: (progress) => {
      const report = toReport(progress);
      if (report !== null) events.write(toEvent(context, report));
    },
  });
  await events.flush();
  return result;
}

/** Writes events in order, each of them once per run: after a restart, the job reports its whole progress again. */
function createEventWriter(context: StepContext): {
  readonly write: (event: EventDraft) => void;
  readonly flush: () => Promise<void>;
} {
  const { ports, run, lease } = context;
  let written: Set<string> | null = run.token === 1 ? new Set() : null;
  let failure: { readonly error: unknown } | null = null;
  let queue = Promise.resolve();

  async function writeOnce(event: EventDraft): Promise<void> {
    written ??= new Set((await listRunEvents(ports, run)).map(identify));
    if (failure !== null || written.has(identify(event))) return;
    await transact(ports, run.task, lease, (task) => ({
      advance: { task, events: [], next: null },
      events: [event],
    }));
    written.add(identify(event));
  }

  return {
    write(event) {
      queue = queue.then(() => writeOnce(event)).catch((error: unknown) => void (failure ??= { error }));
    },
    async flush() {
      await queue;
      if (failure !== null) throw failure.error;
    },
  };
}

function identify({ type, data }: Pick<EventDraft, "type" | "data">): string {
  return `${type} ${String(data["log"])}`;
}

function toEvent({ run }: StepContext, { at, name, severity, place, log, result }: CheckReport): EventDraft {
  const check = `check ${describeCheckPlace(name, place)}`;
  const event = { at, task: run.task, run: run.id };
  const data = { name, on: place, log };
  if (result === null) return newEvent({ ...event, type: "check.started", summary: `${check} started`, data });
  const { status, exitCode, durationMs } = result;
  const isOnlyWarning = severity === "warning" && status !== "passed";
  return newEvent({
    ...event,
    type: "check.ended",
    // What fails on other files than the change's says something about those files.
    level: status === "passed" || place !== "change" ? "debug" : "warning",
    summary: `${check}: ${describeCheckStatus({ name, status, severity })}${isOnlyWarning ? " (warning only)" : ""}`,
    data: { ...data, status, severity, exit_code: exitCode, duration_ms: durationMs },
  });
}
