import { UserError } from "../../core/text/errors.ts";
import type { ReportJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { requireKnownProject } from "../project/find-project.ts";
import { reportHtml, reportMarkdown, reportText } from "../print/report/formats.ts";
import { outlineReport } from "../print/report/outline.ts";

export interface ReportOptions {
  readonly night?: string;
  readonly since?: string;
  readonly format: "text" | "md" | "html" | "json";
}

export async function report(context: CliContext, { night, since, format }: ReportOptions): Promise<void> {
  if (night !== undefined && since !== undefined)
    throw new UserError("invalid", "--night and --since cannot be combined.", "Use --night for one night.");
  const client = await connect(context);
  const found = await client.call("GET /report", { query: { night, since, project: context.project ?? undefined } });
  if (found.money.costs.total.runs === 0) await requireKnownProject(context, client);
  printResult({ ...context, json: context.json || format === "json" }, found, () => write(context, found, format));
}

function write(context: CliContext, found: ReportJson, format: ReportOptions["format"]): string {
  const outline = outlineReport(found, Date.now());
  if (format === "md") return reportMarkdown(outline);
  return format === "html" ? reportHtml(outline) : reportText(context, outline);
}
