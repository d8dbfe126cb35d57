import type { Proposal } from "../../../../core/nightly/proposal.ts";
import type { ProjectRule } from "../../../../core/nightly/rule.ts";
import type { ListProposalsQuery, ListRulesQuery, ProposalPatch } from "../../../../ports/store.ts";
import { toColumns, toFields } from "../columns.ts";
import { idRange } from "../find-ids.ts";
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from "../json.ts";
import type { Db, Schema, Tx } from "../schema.ts";
import { unionByStatus } from "../union.ts";

export async function saveProposals(tx: Tx, proposals: readonly Proposal[]): Promise<void> {
  for (const proposal of proposals) {
    const { id, ...columns } = toRow(proposal);
    await tx
      .insertInto("proposals")
      .values({ id, ...columns })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
      .execute();
  }
}

export async function listProposals(db: Db, query: ListProposalsQuery): Promise<readonly Proposal[]> {
  if (query.statuses?.length === 0) return [];
  const select =
    query.statuses === null
      ? selectProposals(db, query)
      : unionByStatus(db, query.statuses, (status) => selectProposals(db, query).where("status", "=", status))
          .orderBy("at", "desc")
          .orderBy("id")
          .limit(query.limit);
  return (await select.execute()).map(toProposal);
}

function selectProposals(db: Db, query: ListProposalsQuery) {
  let select = db.selectFrom("proposals").selectAll().orderBy("at", "desc").orderBy("id").limit(query.limit);
  if (query.project !== null) select = select.where("project", "=", query.project);
  if (query.task != null) select = select.where("task", "=", query.task);
  if (query.prefix !== undefined) {
    const [own, task] = [idRange("prop", query.prefix), idRange("task", query.prefix)];
    select = select.where(({ eb, and, or }) =>
      or([
        and([eb("id", ">=", own.from), eb("id", "<", own.to)]),
        and([eb("task", ">=", task.from), eb("task", "<", task.to)]),
      ]),
    );
  }
  if (query.patch !== undefined) select = select.where("patch", "=", query.patch);
  if (query.isUnexplained === true) select = select.where("reason", "is", null).where("asked_at", "is", null);
  return select;
}

export async function updateProposal(tx: Tx, id: string, patch: ProposalPatch): Promise<Proposal | null> {
  const row = await tx.selectFrom("proposals").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const proposal = { ...toProposal(row), ...patch };
  await tx.updateTable("proposals").set(toRow(proposal)).where("id", "=", id).execute();
  return proposal;
}

export async function saveRule(tx: Tx, rule: ProjectRule): Promise<void> {
  const { id, ...columns } = toRuleRow(rule);
  await tx
    .insertInto("rules")
    .values({ id, ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

export async function listRules(db: Db, { project, at }: ListRulesQuery): Promise<readonly ProjectRule[]> {
  let select = db.selectFrom("rules").selectAll().orderBy("at").orderBy("id");
  if (project !== null) select = select.where("project", "=", project);
  if (at !== null) select = select.where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", at)]));
  return (await select.execute()).map(toRule);
}

export async function removeRule(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom("rules").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

function toRow({ files, reason, ...same }: Proposal): Schema["proposals"] {
  return { ...toColumns(same), files: toJson(files), reason: toJsonOrNull(reason) };
}

function toProposal({ files, reason, ...same }: Schema["proposals"]): Proposal {
  return { ...toFields(same), files: fromJson(files), reason: fromJsonOrNull(reason) };
}

function toRuleRow({ by, ...same }: ProjectRule): Schema["rules"] {
  return { ...toColumns(same), by_whom: by };
}

function toRule({ by_whom: by, ...same }: Schema["rules"]): ProjectRule {
  return { ...toFields(same), by };
}
