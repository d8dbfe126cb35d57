import type { ReportScope } from "../../../core/outcomes/outcome.ts";
import { readReport, type ReadReport } from "../../../core/outcomes/read-outcome.ts";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import type { OutcomeFile } from "../../../ports/run-files.ts";
import type { EnginePorts } from "../../ports.ts";

interface FoundReport {
  readonly source: string;
  readonly report: ReadReport;
}

export interface ReportSources {
  readonly scope: ReportScope;
  readonly events: readonly TranscriptEvent[];
  /**
   * False for a verdict role that has the tool: only the agent itself can call the tool, while any program that it runs
   * could write the file.
   */
  readonly acceptsFile: boolean;
}

/**
 * Chooses the first valid report in this order: the tool, which validated it while the agent could still correct it; the
 * CLI's structured output; the outcome file.
 */
export async function chooseReport(
  { runFiles, log }: Pick<EnginePorts, "runFiles" | "log">,
  run: string,
  { scope, events, acceptsFile }: ReportSources,
): Promise<ReadReport> {
  const found = [
    ...readFromFile("the tool report_outcome", await runFiles.readReport(run), scope),
    ...readFromEvents(events, scope),
    ...(acceptsFile ? readFromFile("the outcome file", await runFiles.readOutcome(run), scope) : []),
  ];
  const chosen = found.find(({ report }) => report.ok);
  const invalid = found.find(({ report }) => !report.ok);
  if (chosen === undefined) return invalid?.report ?? NO_REPORT;
  if (invalid !== undefined)
    log.warn("an invalid report of the run was ignored", { run, invalid: invalid.source, used: chosen.source });
  return chosen.report;
}

const NO_REPORT: ReadReport = {
  ok: false,
  problem:
    "it ended without reporting an outcome; call the tool report_outcome, or write it as JSON to the path in NIGHTSHIFT_OUTCOME_FILE before you exit",
};

function readFromFile(source: string, file: OutcomeFile, scope: ReportScope): readonly FoundReport[] {
  if (file.kind === "missing") return [];
  const report =
    file.kind === "value" ? readReport(file.value, scope) : ({ ok: false, problem: file.problem } as const);
  return [{ source, report }];
}

/** The last one, because an agent that is asked again reports again. */
function readFromEvents(events: readonly TranscriptEvent[], scope: ReportScope): readonly FoundReport[] {
  const last = events.findLast((event) => event.type === "outcome");
  return last === undefined ? [] : [{ source: "structured output", report: readReport(last.value, scope) }];
}
