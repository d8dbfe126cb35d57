import type { Analysis, Candidate } from "../../core/nightly/analysis.ts";
import { cleanFiles } from "../../core/nightly/candidates.ts";
import { isSameIntent, intentFingerprint, type Intent } from "../../core/nightly/proposal-intent.ts";
import { blocks, proposalId, type FileChurn, type Proposal, type ProposalStatus } from "../../core/nightly/proposal.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import type { Project } from "../../ports/store.ts";
import type { Task } from "../../core/task/task.ts";
import type { EnginePorts, RedactPorts } from "../ports.ts";

/** Which the context of a step is. */
export type LedgerPorts = Pick<EnginePorts, "store" | "workspaces" | "clock" | "digest"> & RedactPorts;

export interface LedgerContext {
  readonly ports: LedgerPorts;
  readonly project: Pick<Project, "name">;
  readonly task: Pick<Task, "id"> & Partial<Pick<Task, "items">>;
}

/** What was decided on; what was only named stands in nobody's way. */
const DECIDED = ["published", "merged", "closed", "rejected", "abandoned"] as const;
const MAX_LEDGER = 10_000;
const MAX_TITLE = 300;

/** Writes down what an analysis named. Said again, it changes nothing. */
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

/** Of the title without secrets, which is the one that later steps read back. */
function idOf(
  { digest, secrets }: Pick<LedgerPorts, "digest" | "secrets">,
  task: string,
  category: string,
  { rank, title }: Pick<Candidate, "rank" | "title">,
): string {
  return proposalId({ task, category, rank, title: secrets.redact(title) }, digest);
}

/** Of the candidate that the analysis selected; null where it selected none of them. */
export function selectedProposal({ ports, task }: LedgerContext, analysis: Analysis): string | null {
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
 * What the ledger has of these candidates, and what happened to their files up to `to`. Of what wants something else
 * nothing is asked of git: a ledger of years costs no more than one of a week.
 */
export async function findKnownProposals(
  { ports, project, task }: LedgerQuery,
  { category, candidates }: Pick<Analysis, "category" | "candidates">,
  to: string,
): Promise<KnownProposals> {
  const query = { project: project.name, statuses: DECIDED, limit: MAX_LEDGER };
  const intents = candidates.map((candidate) => intentOf(category, candidate));
  const ledger = (await ports.store.ledger.listProposals(query)).filter(
    (known) =>
      !(known.task === task?.id && isTriedAgain(known, task)) && intents.some((intent) => isSameIntent(known, intent)),
  );
  const churn = new Map<string, readonly FileChurn[] | null>();
  for (const [from, same] of Map.groupBy(ledger, ({ baseCommit }) => baseCommit)) {
    const files = [...new Set(same.flatMap((proposal) => proposal.files))];
    churn.set(from, await ports.workspaces.churn({ project: project.name, from, to, files }));
  }
  return { ledger, churn };
}

/**
 * What the task itself gave up does not count where a person has it look again: of that only what it gave up since then, for
 * another item of its list.
 */
function isTriedAgain({ status, category }: Proposal, { items }: LedgerContext["task"]): boolean {
  return status === "abandoned" && !(items?.tried ?? []).some(({ item }) => item === category);
}

export interface WantedChange {
  readonly category: string;
  readonly candidate: Candidate;
  /** Up to where changes of its files count. */
  readonly to: string;
}

/** The proposal because of which this one must not be made again; null where there is none. `counts`: of which to ask. */
export async function blockedBy(
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
  /** Null where the project has no forge: its branch is all there is. */
  readonly url: string | null;
  readonly number: number | null;
  /** Fingerprint of the change; see core/proposal-patch.ts. */
  readonly patch: string | null;
  /** What the change was made on, which may be newer than what was analysed. */
  readonly baseCommit: string;
}

/** Its change request is open. Null where the ledger does not know it. */
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

/** `commit`: the merge, or where the default branch stood after it: from there on changes count. Null: nobody knows. */
export async function markMerged(
  ports: Pick<EnginePorts, "store" | "clock">,
  task: string,
  commit: string | null,
): Promise<Proposal | null> {
  return settle(ports, task, ["published", "closed"], {
    status: "merged",
    ...(commit === null ? {} : { baseCommit: commit }),
  });
}

/** Closed without being merged. Whoever sees it first asks why: `unexplained` lists it until then. */
export async function markClosed(ports: Pick<EnginePorts, "store" | "clock">, task: string): Promise<Proposal | null> {
  return settle(ports, task, ["published"], { status: "closed" });
}

/** Somebody thought better of it. */
export async function markReopened(ports: Pick<EnginePorts, "store" | "clock">, task: string): Promise<void> {
  await settle(ports, task, ["closed"], { status: "published" });
}

/** Tried, and given up; or not taken on, because a person or the rules said no. */
export async function markUnpublished(
  ports: Pick<EnginePorts, "store" | "clock">,
  proposal: string,
  status: "abandoned" | "rejected",
): Promise<Proposal | null> {
  return ports.store.ledger.updateProposal(proposal, { status, updatedAt: ports.clock.now() });
}

/** What became of the open change request of a task; null where it has none. */
async function settle(
  { store, clock }: Pick<EnginePorts, "store" | "clock">,
  task: string,
  from: readonly ProposalStatus[],
  patch: Pick<Proposal, "status"> & Partial<Proposal>,
): Promise<Proposal | null> {
  const known = await store.ledger.listProposals({ project: null, task, statuses: from, limit: MAX_LEDGER });
  const open = known.find(({ number }) => number !== null);
  return open === undefined ? null : store.ledger.updateProposal(open.id, { ...patch, updatedAt: clock.now() });
}

/** Closed change requests about which nobody was asked and nobody said anything. */
export async function unexplained(
  { store }: Pick<EnginePorts, "store">,
  project: string,
): Promise<readonly Proposal[]> {
  const closed = await store.ledger.listProposals({ project, statuses: ["closed"], limit: MAX_LEDGER });
  return closed.filter(({ reason, askedAt }) => reason === null && askedAt === null);
}

export async function markAsked(ports: Pick<EnginePorts, "store" | "clock">, proposal: string): Promise<void> {
  await ports.store.ledger.updateProposal(proposal, { askedAt: ports.clock.now() });
}
