import { UserError } from "../../core/text/errors.ts";
import type { Client, MergeOrderJson, ReportJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { requireKnownProject } from "../project/find-project.ts";
import { reportHtml, reportMarkdown, reportText } from "../print/report/formats.ts";
import { type Outline, outlineReport } from "../print/report/outline.ts";

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
  const isJson = context.json || format === "json";
  const orders = isJson ? [] : await readMergeOrders(client, found);
  printResult({ ...context, json: isJson }, found, () => {
    return write(context, outlineReport(found, Date.now(), orders), format);
  });
}

/** Of projects with several changes to merge. Comparing their branches can take some seconds. */
async function readMergeOrders(client: Client, { sections }: ReportJson): Promise<readonly MergeOrderJson[]> {
  const changes = Map.groupBy(sections.review.tasks, ({ project }) => project);
  const names = [...changes.keys()].filter((name) => (changes.get(name)?.length ?? 0) > 1);
  const found = await Promise.all(
    names.map((name) => client.call("GET /projects/:name/merge-order", { params: { name } })),
  );
  return found.flatMap(({ merge_order: order }) => order ?? []);
}

function write(context: CliContext, outline: Outline, format: ReportOptions["format"]): string {
  if (format === "md") return reportMarkdown(outline);
  return format === "html" ? reportHtml(outline) : reportText(context, outline);
}
