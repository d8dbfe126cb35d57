import { resolveRun } from "../../core/settings/resolve-run.ts";
import { BUILT_IN_CHECKS, describeCheckStatus } from "../../core/task/checks/describe-check.ts";
import { SYSTEM, type EventDraft } from "../../core/task/event.ts";
import { FILE_CHANGES } from "../../core/task/file-change.ts";
import type { CheckResult, Run } from "../../core/task/run.ts";
import type { StepContext, StepResult } from "./step-context.ts";

/** The agent and model a run will use, as data of `run.started`. Empty for steps without an agent. */
export function agentData(run: Run, loaded: Pick<StepContext, "settings" | "state" | "task">): EventDraft["data"] {
  if (run.role === null) return {};
  const { settings, state, task } = loaded;
  try {
    const { agent, model } = resolveRun(settings, state.agent, task.options, run.role);
    return { agent, model };
  } catch {
    // The step itself will report that the settings name an unknown agent.
    return {};
  }
}

/** Cost and active time of a run, as data of `run.ended`. */
export function costData(run: Run, { costUsd, costBasis, pausedMs }: StepResult, at: number): EventDraft["data"] {
  const duration = run.startedAt === null ? null : Math.max(0, at - run.startedAt - pausedMs);
  return { cost_usd: costUsd, cost_basis: costBasis, duration_ms: duration };
}

/** Events for what a run produced: tool usage, checks, artifacts, and artifacts that could not be kept. */
export function productEvents(run: Run, result: StepResult, at: number): readonly EventDraft[] {
  const event = (type: EventDraft["type"], level: EventDraft["level"], content: Pick<EventDraft, "summary" | "data">) =>
    ({ at, task: run.task, run: run.id, type, level, actor: SYSTEM, ...content }) satisfies EventDraft;
  return [
    ...describeTools(result.toolUses).map((content) => event("run.tools", "debug", content)),
    // The project's commands have had their events when they ended.
    ...result.checks
      .filter(({ name }) => BUILT_IN_CHECKS.has(name))
      .map((check) =>
        event("check.ended", isOk(check) ? "debug" : "warning", {
          summary: `check ${check.name}: ${describeCheckStatus(check)}`,
          data: {
            name: check.name,
            status: check.status,
            severity: check.severity,
            exit_code: check.exitCode,
            duration_ms: check.durationMs,
          },
        }),
      ),
    ...result.artifacts
      .filter(({ type }) => type !== "file")
      .map(({ type, label, url }) =>
        event("artifact.added", "debug", { summary: `${type}: ${label}`, data: { type, label, url } }),
      ),
    ...describeFiles(result.artifacts).map((content) => event("artifact.added", "debug", content)),
    ...result.artifactFailures.map((summary) => event("artifact.failed", "warning", { summary, data: {} })),
  ];
}

/** One event for all of a run's tool calls. An event per call would be a database write per call; the transcript has them. */
function describeTools(uses: StepResult["toolUses"]): readonly Pick<EventDraft, "summary" | "data">[] {
  const counts = Object.entries(uses).toSorted(([, one], [, other]) => other - one);
  if (counts.length === 0) return [];
  const summary = `tools used: ${counts.map(([name, count]) => `${name} (${count})`).join(", ")}`;
  return [{ summary, data: { tools: Object.fromEntries(counts) } }];
}

/** One event for all files, as there may be hundreds. */
function describeFiles(artifacts: StepResult["artifacts"]): readonly Pick<EventDraft, "summary" | "data">[] {
  const files = artifacts.filter(({ type }) => type === "file");
  const counts = FILE_CHANGES.map((change) => ({
    change,
    count: files.filter(({ data }) => data["change"] === change).length,
  })).filter(({ count }) => count > 0);
  if (counts.length === 0) return [];
  const summary = `files: ${counts.map(({ change, count }) => `${count} ${change}`).join(", ")}`;
  return [{ summary, data: { type: "file", files: files.length } }];
}

function isOk({ status }: CheckResult): boolean {
  return status === "passed" || status === "skipped";
}
