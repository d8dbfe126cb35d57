import { cleanFiles, type Analysis, type Candidate } from "../../core/nightly/candidates.ts";
import { isSameIntent, intentFingerprint, type Intent } from "../../core/nightly/proposal-intent.ts";
import { blocks, proposalId, type FileChurn, type Proposal, type ProposalStatus } from "../../core/nightly/proposal.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { Project } from "../../ports/store.ts";
import type { Task } from "../../core/task/task.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";

export type LedgerPorts = Pick<EnginePorts, "store" | "workspaces" | "clock" | "digest"> & RedactPorts;

export interface LedgerContext {
  readonly ports: LedgerPorts;
  readonly project: Pick<Project, "name">;
  readonly task: Pick<Task, "id"> & Partial<Pick<Task, "items">>;
}

/** Statuses that can block a new candidate. A proposal that is only `proposed` blocks nothing. */
export const DECIDED_STATUSES = ["published", "merged", "closed", "rejected", "abandoned"] as const;
const MAX_LEDGER = 10_000;
const MAX_TITLE = 300;

/** Stores the candidates of an analysis. Recording them again changes nothing. */
export async function recordProposals(
  { ports, project, task }: LedgerContext,
  {
    analysis,
    baseCommit,
  }: { readonly analysis: Pick<Analysis, "category" | "candidates">; readonly baseCommit: string },
): Promise<void> {
  const query = { project: project.name, task: task.id, statuses: null, limit: MAX_LEDGER };
  const known = new Set((await ports.store.ledger.listProposals(query)).map(({ id }) => id));
  const at = ports.clock.now();
  const proposals = analysis.candidates.map((candidate): Proposal => {
    const intent = intentOf(analysis.category, ports.secrets.redact(candidate));
    return {
      ...intent,
      id: idOf(ports, task.id, analysis.category, candidate),
      project: project.name,
      task: task.id,
      baseCommit,
      intent: intentFingerprint(intent, ports.digest),
      patch: null,
      status: "proposed",
      url: null,
      number: null,
      at,
      updatedAt: at,
      reason: null,
      askedAt: null,
    };
  });
  await ports.store.ledger.saveProposals(proposals.filter(({ id }) => !known.has(id)));
}

function intentOf(category: string, { title, files }: Pick<Candidate, "title" | "files">): Intent {
  return { category, title: terminalLine(title, MAX_TITLE), files: cleanFiles(files) };
}

/** Uses the redacted title, because later steps only see that one. */
function idOf(
  { digest, secrets }: Pick<LedgerPorts, "digest" | "secrets">,
  task: string,
  category: string,
  { rank, title }: Pick<Candidate, "rank" | "title">,
): string {
  return proposalId({ task, category, rank, title: secrets.redact(title) }, digest);
}

/** The id of the selected candidate. Null if the analysis selected none of its candidates. */
export function selectedProposalId({ ports, task }: LedgerContext, analysis: Analysis): string | null {
  const selected = analysis.candidates.find(({ rank }) => rank === analysis.selected);
  return selected === undefined ? null : idOf(ports, task.id, analysis.category, selected);
}

export interface KnownProposals {
  readonly ledger: readonly Proposal[];
  /** By base commit, as `chooseCandidate` takes it. */
  readonly churn: ReadonlyMap<string, readonly FileChurn[] | null>;
}

type LedgerQuery = Pick<LedgerContext, "ports" | "project"> & Partial<Pick<LedgerContext, "task">>;

/**
 * The decided proposals with the same intent as one of these candidates, and how their files changed up to `to`. Only these
 * proposals are looked up in git, so a large ledger stays cheap.
 */
export async function findKnownProposals(
  { ports, project, task }: LedgerQuery,
  { category, candidates }: Pick<Analysis, "category" | "candidates">,
  to: string,
): Promise<KnownProposals> {
  const query = { project: project.name, statuses: DECIDED_STATUSES, limit: MAX_LEDGER };
  const intents = candidates.map((candidate) => intentOf(category, candidate));
  const ledger = (await ports.store.ledger.listProposals(query)).filter(
    (known) =>
      !(known.task === task?.id && isRetried(known, task)) && intents.some((intent) => isSameIntent(known, intent)),
  );
  const churn = new Map<string, readonly FileChurn[] | null>();
  for (const [from, same] of Map.groupBy(ledger, ({ baseCommit }) => baseCommit)) {
    const files = [...new Set(same.flatMap((proposal) => proposal.files))];
    churn.set(from, await ports.workspaces.churn({ project: project.name, from, to, files }));
  }
  return { ledger, churn };
}

/**
 * True for a proposal that this task abandoned before a person retried it. Proposals abandoned since the retry, for items in
 * `tried`, still count.
 */
function isRetried({ status, category }: Proposal, { items }: LedgerContext["task"]): boolean {
  return status === "abandoned" && !(items?.tried ?? []).some(({ item }) => item === category);
}

export interface WantedChange {
  readonly category: string;
  readonly candidate: Candidate;
  /** The commit up to which changes of its files count. */
  readonly to: string;
}

/** The proposal that blocks this change, or null. `counts` selects the proposals that may block. */
export async function findBlocker(
  context: LedgerQuery,
  { category, candidate, to }: WantedChange,
  counts: (known: Proposal) => boolean = () => true,
): Promise<Proposal | null> {
  const { ledger, churn } = await findKnownProposals(context, { category, candidates: [candidate] }, to);
  const intent = intentOf(category, candidate);
  const blocking = (known: Proposal): boolean => blocks(known, intent, churn.get(known.baseCommit) ?? null);
  return ledger.filter(counts).find(blocking) ?? null;
}

export interface PublishedProposal {
  /** Null if the project has no forge and only the branch was pushed. */
  readonly url: string | null;
  readonly number: number | null;
  /** Fingerprint of the change; see core/proposal-patch.ts. */
  readonly patch: string | null;
  /** The commit that the change is based on. It may be newer than the analysed one. */
  readonly baseCommit: string;
}

/** Null if the ledger does not contain the proposal. */
export async function markPublished(
  ports: Pick<EnginePorts, "store" | "clock">,
  proposal: string,
  published: PublishedProposal,
): Promise<Proposal | null> {
  return ports.store.ledger.updateProposal(proposal, {
    ...published,
    status: "published",
    updatedAt: ports.clock.now(),
  });
}

/** `commit` is the merge commit or a later commit of the default branch; later file changes count from there. Null if unknown. */
export async function markMerged(
  ports: Pick<EnginePorts, "store" | "clock">,
  task: string,
  commit: string | null,
): Promise<Proposal | null> {
  return updateOfTask(ports, task, ["published", "closed"], {
    status: "merged",
    ...(commit === null ? {} : { baseCommit: commit }),
  });
}

/** Closed without a merge. `listUnexplained` lists it until a person was asked for the reason. */
export async function markClosed(ports: Pick<EnginePorts, "store" | "clock">, task: string): Promise<Proposal | null> {
  return updateOfTask(ports, task, ["published"], { status: "closed" });
}

export async function markReopened(ports: Pick<EnginePorts, "store" | "clock">, task: string): Promise<void> {
  await updateOfTask(ports, task, ["closed"], { status: "published" });
}

/** `abandoned`: implementing it failed. `rejected`: a person or a rule refused it. */
export async function markUnpublished(
  ports: Pick<EnginePorts, "store" | "clock">,
  proposal: string,
  status: "abandoned" | "rejected",
): Promise<Proposal | null> {
  return ports.store.ledger.updateProposal(proposal, { status, updatedAt: ports.clock.now() });
}

/** Updates the proposal of a task's change request. Null if the task has none in one of these statuses. */
async function updateOfTask(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  task: string,
  from: readonly ProposalStatus[],
  patch: Pick<Proposal, "status"> & Partial<Proposal>,
): Promise<Proposal | null> {
  const known = await store.ledger.listProposals({ project: null, task, statuses: from, limit: MAX_LEDGER });
  const open = known.find(({ number }) => number !== null);
  return open === undefined ? null : store.ledger.updateProposal(open.id, { ...patch, updatedAt: clock.now() });
}

/** Closed change requests without a reason for which no person was asked yet. */
export async function listUnexplained(
  { store }: Pick<EnginePorts, "store">,
  project: string,
): Promise<readonly Proposal[]> {
  return store.ledger.listProposals({ project, statuses: ["closed"], isUnexplained: true, limit: MAX_LEDGER });
}

export async function markAsked(ports: Pick<EnginePorts, "store" | "clock">, proposal: string): Promise<void> {
  await ports.store.ledger.updateProposal(proposal, { askedAt: ports.clock.now() });
}
