import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeFileDurably } from "../../adapters/run-files/write-file.ts";
import { pathExists } from "../../config/files/paths.ts";
import { readReportJson, type ReportDeps } from "../../http/routes/report.ts";
import type { RedactPorts } from "../../engine/ports.ts";
import type { Log } from "../../ports/log.ts";

export interface ReportFilesParams {
  readonly deps: ReportDeps;
  readonly secrets: RedactPorts["secrets"];
  /** `reports/` in Nightshift's home. */
  readonly dir: string;
  readonly log: Log;
}

export interface ReportFiles {
  /** Waits for a report that is being written. */
  stop(): Promise<void>;
}

/** Older reports are not written again after a person removed them. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Writes the report of each night as Markdown, HTML and JSON when it is sent. A report whose files are missing because the daemon
 * stopped in between is written at the next start.
 */
export function startReportFiles(params: ReportFilesParams): ReportFiles {
  const { store, clock } = params.deps;
  let writing = Promise.resolve();
  const write = (nights: readonly unknown[]): void => {
    for (const night of nights)
      writing = writing
        .then(() => writeReport(params, String(night)))
        .catch((error: unknown) => {
          params.log.error("the report could not be written", { night: String(night), error: String(error) });
        });
  };
  const unsubscribe = store.events.onEvents((events) =>
    write(events.filter(({ type }) => type === "report.sent").map(({ data }) => data["night"])),
  );
  const period = { since: clock.now() - MAX_AGE_MS, until: Number.MAX_SAFE_INTEGER };
  writing = store.events.listEventsIn(period, ["report.sent"]).then(
    (sent) => write(sent.map(({ data }) => data["night"])),
    (error: unknown) => params.log.error("sent reports cannot be read", { error: String(error) }),
  );
  return {
    async stop() {
      unsubscribe();
      // A report may be added to the end while the others are written.
      let last: Promise<void> | null = null;
      while (last !== writing) {
        last = writing;
        await last;
      }
    },
  };
}

/** Writes the JSON last: if it exists, all of them do. */
async function writeReport({ deps, secrets, dir }: ReportFilesParams, night: string): Promise<void> {
  const fileOf = (ending: string): string => join(dir, `${night}.${ending}`);
  if (await pathExists(fileOf("json"))) return;
  // Loaded on demand, because the daemon needs them once a day.
  const { outlineReport } = await import("../../cli/print/report/outline.ts");
  const { reportHtml, reportMarkdown } = await import("../../cli/print/report/formats.ts");
  const report = secrets.redact(await readReportJson(deps, { night }));
  const outline = outlineReport(report, deps.clock.now());
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFileDurably(fileOf("md"), reportMarkdown(outline));
  await writeFileDurably(fileOf("html"), reportHtml(outline));
  await writeFileDurably(fileOf("json"), `${JSON.stringify(report, null, 2)}\n`);
}
