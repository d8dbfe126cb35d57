import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import { REASON_KINDS, type ReasonKind } from "../../core/nightly/proposal.ts";
import { EXPIRY_FORM, parseExpiry, readReasonKind } from "../../core/nightly/rule.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { Client, ProposalJson, RuleJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName, requireKnownProject } from "../project/find-project.ts";
import { table, type Column } from "../print/terminal/table.ts";
import { describeTime } from "../print/terminal/time.ts";
import { plural } from "../print/terminal/words.ts";

const MAX_CELL = 100;
const MAX_LINE = 600;
/** Number of change requests without a reason that are listed. */
const MAX_UNEXPLAINED = 5;

export async function listRules(context: CliContext, options: { readonly expired?: boolean }): Promise<void> {
  const client = await connect(context);
  const project = context.project ?? undefined;
  const { rules } = await client.call("GET /rules", { query: { project, expired: String(options.expired ?? false) } });
  if (rules.length === 0) await requireKnownProject(context, client);
  printResult(context, rules, () =>
    rules.length === 0 ? 'There are no rules. Run "nightshift rules add" to create one.\n' : rulesTable(context, rules),
  );
  if (!context.json) context.progress(unexplainedLines(await findUnexplained(client, project)));
}

/** Returns the closed change requests without a reason. */
async function findUnexplained(client: Client, project: string | undefined) {
  const { proposals } = await client.call("GET /proposals", { query: { project, status: "closed", limit: 100 } });
  return proposals.filter(({ reason }) => reason === null);
}

export async function addRule(
  context: CliContext,
  text: string,
  options: { readonly expires?: string },
): Promise<void> {
  const expires_at = options.expires === undefined ? undefined : readExpiry(options.expires);
  const client = await connect(context);
  const project = await findProjectName(context, client);
  const rule = await client.call("POST /rules", { body: { project, text, expires_at } });
  printResult(context, rule, () => ruleLine(rule));
}

export async function editRule(context: CliContext, id: string, text: string): Promise<void> {
  const client = await connect(context);
  const rule = await client.call("POST /rules/:id", { params: { id }, body: { text } });
  printResult(context, rule, () => ruleLine(rule));
}

/** Without --at and --in, the rule expires now. */
export async function expireRule(
  context: CliContext,
  id: string,
  options: { readonly at?: string; readonly in?: string },
): Promise<void> {
  if (options.at !== undefined && options.in !== undefined)
    throw new UserError("invalid", "--at and --in cannot be combined.", "Use one of them.");
  const given = options.at ?? options.in;
  const expires_at = given === undefined ? new Date().toISOString() : readExpiry(given);
  const client = await connect(context);
  const rule = await client.call("POST /rules/:id", { params: { id }, body: { expires_at } });
  printResult(context, rule, () => ruleLine(rule));
}

export async function removeRule(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  await client.call("DELETE /rules/:id", { params: { id } });
  printResult(context, { removed: id }, () => `Removed ${id}.\n`);
}

export async function giveReason(
  context: CliContext,
  id: string,
  kind: string,
  text: string | undefined,
): Promise<void> {
  const body = { kind: readKind(kind), text };
  const client = await connect(context);
  const explained = await client.call("POST /proposals/:id/reason", { params: { id }, body });
  printResult(context, explained, () => `${ruleLine(explained.rule)}${replacedLine(explained.replaced)}`);
}

function readKind(word: string): ReasonKind {
  const kind = readReasonKind(word);
  if (kind !== null) return kind;
  throw new UserError(
    "invalid",
    `"${word}" is not a kind of reason.${didYouMean(word, REASON_KINDS)}`,
    `Use one of ${REASON_KINDS.join(", ")}. Add your own text after it, in quotes.`,
  );
}

function readExpiry(text: string): string | null {
  const at = parseExpiry(text, Date.now());
  if (at === undefined) throw new UserError("invalid", `"${text}" is not a valid expiry.`, `Write ${EXPIRY_FORM}.`);
  return at === null ? null : new Date(at).toISOString();
}

const COLUMNS: readonly Column[] = [
  { heading: "RULE" },
  { heading: "PROJECT", min: 8, drop: 2 },
  { heading: "EXPIRES", drop: 3 },
  { heading: "FROM", min: 12, keep: "end", drop: 1 },
  { heading: "TEXT", min: 30 },
];

function rulesTable(context: CliContext, rules: readonly RuleJson[]): string {
  return table(
    context,
    COLUMNS,
    rules.map((rule) => [rule.id, rule.project, expires(rule), rule.url ?? rule.proposal ?? rule.by, rule.text]),
  );
}

function ruleLine(rule: RuleJson): string {
  return `${rule.id}  ${expires(rule)}  ${terminalLine(rule.text, MAX_LINE)}\n`;
}

/** Tells the user that they have overwritten someone else's reason. */
export function replacedLine(before: ProposalJson["reason"]): string {
  if (before === null) return "";
  const words = before.text === "" ? "" : ` "${terminalLine(before.text, MAX_LINE)}"`;
  return `This replaces the reason of ${terminalLine(before.by, MAX_CELL)} from ${describeTime(before.at)}: ${before.kind}${words}\n`;
}

function expires({ expires_at, expired }: RuleJson): string {
  if (expires_at === null) return "never";
  return `${expired ? "expired " : ""}${describeTime(expires_at)}`;
}

/** Lists closed change requests without a reason, or returns an empty string. */
function unexplainedLines(proposals: readonly ProposalJson[]): string {
  if (proposals.length === 0) return "";
  const lines = proposals
    .slice(0, MAX_UNEXPLAINED)
    .map(
      ({ id, title, url }) =>
        `  ${id}  ${terminalLine(title, MAX_CELL)}${url === null ? "" : `  ${terminalLine(url, MAX_LINE)}`}\n`,
    );
  const more = proposals.length > MAX_UNEXPLAINED ? `  and ${proposals.length - MAX_UNEXPLAINED} more\n` : "";
  return `${plural(proposals.length, "change request")} closed without a reason. Add one with "nightshift rules reason <id> <kind>":\n${lines.join("")}${more}`;
}
