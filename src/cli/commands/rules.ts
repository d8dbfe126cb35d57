import { didYouMean } from "../../core/text/did-you-mean.ts";
import { UserError } from "../../core/text/errors.ts";
import { REASON_KINDS, type ReasonKind } from "../../core/nightly/proposal-reason.ts";
import { EXPIRY_FORM, parseExpiry, readReasonKind } from "../../core/nightly/rule.ts";
import type { Client } from "../../http/client/client.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { projectHere } from "../find-project.ts";
import { replacedLine, ruleLine, rulesTable, unexplainedLines } from "../print/rules.ts";

export async function listRules(context: CliContext, options: { readonly expired?: boolean }): Promise<void> {
  const client = await connect(context);
  const project = context.project === null ? {} : { project: context.project };
  const query = { ...project, ...(options.expired === true ? { expired: "true" } : {}) };
  const { rules } = await client.call("GET /rules", { query });
  answer(context, rules, () => (rules.length === 0 ? "no rules; nightshift rules add makes one\n" : rulesTable(rules)));
  if (!context.json) context.tell(unexplainedLines(await unexplained(client, project)));
}

/** Closed change requests of which nobody said why. */
async function unexplained(client: Client, project: { readonly project?: string }) {
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
  const project = await projectHere(context, client);
  const rule = await client.call("POST /rules", { body: { project, text, ...expiry } });
  answer(context, rule, () => ruleLine(rule));
}

export async function editRule(context: CliContext, id: string, text: string): Promise<void> {
  const client = await connect(context);
  const rule = await client.call("POST /rules/:id", { params: { id }, body: { text } });
  answer(context, rule, () => ruleLine(rule));
}

/** Now, unless it is told when. */
export async function expireRule(
  context: CliContext,
  id: string,
  options: { readonly at?: string; readonly in?: string },
): Promise<void> {
  if (options.at !== undefined && options.in !== undefined)
    throw new UserError("invalid", "--at and --in say the same thing twice", "give one of them");
  const given = options.at ?? options.in;
  const expires_at = given === undefined ? new Date().toISOString() : readExpiry(given);
  const client = await connect(context);
  const rule = await client.call("POST /rules/:id", { params: { id }, body: { expires_at } });
  answer(context, rule, () => ruleLine(rule));
}

export async function removeRule(context: CliContext, id: string): Promise<void> {
  const client = await connect(context);
  await client.call("DELETE /rules/:id", { params: { id } });
  answer(context, { removed: id }, () => `removed ${id}\n`);
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
  answer(context, explained, () => `${ruleLine(explained.rule)}${replacedLine(explained.replaced)}`);
}

function readKind(word: string): ReasonKind {
  const kind = readReasonKind(word);
  if (kind !== null) return kind;
  throw new UserError(
    "invalid",
    `"${word}" is no kind of reason.${didYouMean(word, REASON_KINDS)}`,
    `it is one of ${REASON_KINDS.join(", ")}; other words go behind it, in quotes`,
  );
}

function readExpiry(text: string): string | null {
  const at = parseExpiry(text, Date.now());
  if (at === undefined) throw new UserError("invalid", `"${text}" is no time to end at`, `write ${EXPIRY_FORM}`);
  return at === null ? null : new Date(at).toISOString();
}
