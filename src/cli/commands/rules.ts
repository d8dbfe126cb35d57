import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import { REASON_KINDS, type ReasonKind } from "../../core/nightly/proposal-reason.ts";
import { EXPIRY_FORM, parseExpiry, readReasonKind } from "../../core/nightly/rule.ts";
import type { Client } from "../../http/client/client.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { findProjectName } from "../find-project.ts";
import { replacedLine, ruleLine, rulesTable, unexplainedLines } from "../print/rules.ts";

export async function listRules(context: CliContext, options: { readonly expired?: boolean }): Promise<void> {
  const client = await connect(context);
  const project = context.project === null ? {} : { project: context.project };
  const query = { ...project, ...(options.expired === true ? { expired: "true" } : {}) };
  const { rules } = await client.call("GET /rules", { query });
  printResult(context, rules, () =>
    rules.length === 0 ? 'There are no rules. Run "nightshift rules add" to create one.\n' : rulesTable(rules),
  );
  if (!context.json) context.progress(unexplainedLines(await findUnexplained(client, project)));
}

/** Returns the closed change requests without a reason. */
async function findUnexplained(client: Client, project: { readonly project?: string }) {
  const { proposals } = await client.call("GET /proposals", { query: { ...project, status: "closed", limit: 100 } });
  return proposals.filter(({ reason }) => reason === null);
}

export async function addRule(
  context: CliContext,
  text: string,
  options: { readonly expires?: string },
): Promise<void> {
  const expiry = options.expires === undefined ? {} : { expires_at: readExpiry(options.expires) };
  const client = await connect(context);
  const project = await findProjectName(context, client);
  const rule = await client.call("POST /rules", { body: { project, text, ...expiry } });
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
  const body = { kind: readKind(kind), ...(text === undefined ? {} : { text }) };
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
