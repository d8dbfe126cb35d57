import { useMemo } from "react";
import type { Entry } from "../../../../../src/core/transcript/entry.ts";
import { isFields } from "../../../../../src/core/transcript/tool-input.ts";
import type { RunJson } from "../../../../../src/http/client/client.ts";
import { Time } from "../../../ui/time.tsx";
import { ReportBox } from "./report-box.tsx";
import { describeEnd, nameRun } from "./run-words.ts";
import type { WindowState } from "./page-window.ts";

const MEGABYTE = 1024 * 1024;

/** What ran, and how much it printed. */
export function RunStart({ run, pages }: { run: RunJson; pages: WindowState }) {
  const { agent, agent_version: version, model, state } = run;
  const parts = [
    `${nameRun(run)} in ${state}`,
    ...(agent === null ? [] : [version === null ? agent : `${agent} ${version}`]),
    ...(model === null ? [] : [model]),
  ];
  return (
    <p className="hint break" dir="auto">
      {parts.join(", ")}. {formatBytes(pages.size)}.{pages.start > 0 && ` Shown from ${formatBytes(pages.start)} on.`}
    </p>
  );
}

/** The report that the engine accepted, unless the transcript has it, and how the run ended. */
export function RunEnd({ run, entries, isRaw }: { run: RunJson; entries: readonly Entry[]; isRaw: boolean }) {
  const report = useMemo(() => (isRaw ? null : missingReport(run, entries)), [run, entries, isRaw]);
  if (run.finished_at === null) return null;
  return (
    <>
      {report !== null && (
        <div className="ln static">
          <Time at={run.finished_at} />
          <ReportBox agent={run.agent ?? "The agent"} value={report} isValid />
        </div>
      )}
      {run.error !== null && (
        <p className="err-line" dir="auto">
          {run.error}
        </p>
      )}
      <p className="hint">{describeEnd(run)}</p>
    </>
  );
}

function missingReport({ step, status, outcome, payload }: RunJson, entries: readonly Entry[]): unknown {
  // Other outcomes are the engine's own words about a failure.
  if (step !== "agent" || status !== "succeeded" || outcome === null) return null;
  const isShown = entries.some(
    (entry) => entry.kind === "report" && isFields(entry.value) && entry.value["outcome"] === outcome,
  );
  return isShown ? null : { outcome, ...payload };
}

/** "512 B", "212 KB", "50.3 MB". */
function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < MEGABYTE ? `${Math.round(bytes / 1024)} KB` : `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
