import type { ReportScope } from "../../../core/outcomes/outcome.ts";
import { readReport, type ReadReport } from "../../../core/outcomes/read-outcome.ts";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import type { OutcomeFile } from "../../../ports/run-files.ts";
import type { EnginePorts } from "../../ports.ts";

interface Found {
  readonly by: string;
  readonly report: ReadReport;
}

export interface Reported {
  readonly scope: ReportScope;
  readonly events: readonly TranscriptEvent[];
  /**
   * False where the agent judges and has the tool: whatever else it could be brought to run can write a file, and only the
   * agent itself can call the tool.
   */
  readonly fileCounts: boolean;
}

/**
 * The one of an agent's reports that counts. The tool comes first, since it held the agent to the schema while it could
 * still mend its report; then what the CLI calls its structured output; then the outcome file. One that is wrong does not
 * stand in the way of a right one below it.
 */
export async function chooseReport(
  { runFiles, log }: Pick<EnginePorts, "runFiles" | "log">,
  run: string,
  { scope, events, fileCounts }: Reported,
): Promise<ReadReport> {
  const found = [
    ...inFile("the tool report_outcome", await runFiles.readReport(run), scope),
    ...inEvents(events, scope),
    ...(fileCounts ? inFile("the outcome file", await runFiles.readOutcome(run), scope) : []),
  ];
  const chosen = found.find(({ report }) => report.ok);
  const wrong = found.find(({ report }) => !report.ok);
  if (chosen === undefined) return wrong?.report ?? NOTHING;
  if (wrong !== undefined)
    log.warn("one report of the run was wrong, another counts", { run, wrong: wrong.by, counts: chosen.by });
  return chosen.report;
}

const NOTHING: ReadReport = {
  ok: false,
  problem:
    "it ended without reporting an outcome; call the tool report_outcome, or write the JSON of one to the path in NIGHTSHIFT_OUTCOME_FILE before you end",
};

function inFile(by: string, file: OutcomeFile, scope: ReportScope): readonly Found[] {
  if (file.kind === "missing") return [];
  return [{ by, report: file.kind === "value" ? readReport(file.value, scope) : { ok: false, problem: file.problem } }];
}

/** Only its last word: an agent that is asked again answers again. */
function inEvents(events: readonly TranscriptEvent[], scope: ReportScope): readonly Found[] {
  const last = events.findLast((event) => event.type === "outcome");
  return last === undefined ? [] : [{ by: "structured output", report: readReport(last.value, scope) }];
}
