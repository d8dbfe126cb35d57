import { findDependencySection } from "../change/dependency-files.ts";
import { blocks, type FileChurn, type Proposal, type ProposalStatus, type ProposalReason } from "./proposal.ts";
import { slugOf } from "../task/branch-name.ts";
import type { PayloadOf } from "../outcomes/outcome.ts";

export interface ChooseParams {
  readonly category: string;
  readonly candidates: readonly Candidate[];
  /** The rank of the candidate that the agent selected, and the slug it proposed for it. */
  readonly selected: number;
  readonly slug: string | null;
  /** Files that the last `recentCommits` commits of the default branch changed. */
  readonly recentFiles: readonly string[];
  readonly recentCommits: number;
  /** A candidate that touches a manifest or lock file is dropped. */
  readonly refusesDependencies: boolean;
  readonly ledger: readonly Proposal[];
  /** File changes since each proposal's base commit, keyed by that commit. Missing or null if unknown. */
  readonly churn: ReadonlyMap<string, readonly FileChurn[] | null>;
  readonly digest: (text: string) => string;
}

export interface Choice {
  /** With normalized file paths. Null if every candidate was dropped. */
  readonly selected: (Candidate & { readonly slug: string }) | null;
  readonly dropped: readonly DroppedCandidate[];
}

export interface DroppedCandidate {
  readonly rank: number;
  readonly title: string;
  /** A full sentence, shown to people. */
  readonly reason: string;
}

/** Drops the candidates that the rules do not allow. Takes the agent's selection if it remains, otherwise the best rank. */
export function chooseCandidate(params: ChooseParams): Choice {
  const reviewed = params.candidates
    .toSorted((one, other) => one.rank - other.rank)
    .map((candidate) => ({ candidate, reason: findDropReason(candidate, params) }));
  const allowed = reviewed.filter(({ reason }) => reason === null).map(({ candidate }) => candidate);
  const chosen = allowed.find(({ rank }) => rank === params.selected) ?? allowed[0];
  return {
    selected: chosen === undefined ? null : toSelected(chosen, params),
    dropped: reviewed.flatMap(({ candidate: { rank, title }, reason }) =>
      reason === null ? [] : [{ rank, title, reason }],
    ),
  };
}

function toSelected(chosen: Candidate, { slug, selected, category, digest }: ChooseParams): Choice["selected"] {
  const { title, rank } = chosen;
  // The agent's slug describes only the candidate that the agent selected.
  const reported = rank === selected ? slug : null;
  return { ...chosen, files: cleanFiles(chosen.files), slug: candidateSlug({ reported, title, category, digest }) };
}

/** Returns null if the candidate is allowed. */
function findDropReason(candidate: Candidate, params: ChooseParams): string | null {
  const outside = candidate.files.find((file) => cleanPath(file) === null);
  if (outside !== undefined) return `It names ${JSON.stringify(outside)}, which is not a path inside the repository.`;
  const files = cleanFiles(candidate.files);
  if (files.length === 0) return "It names no file, so the engine cannot tell what it would touch.";
  const dependencies = params.refusesDependencies ? files.filter(isDependencyFile) : [];
  if (dependencies.length > 0)
    return `It touches ${listPaths(dependencies)}. Nightly changes must not touch dependency files.`;
  const recent = params.recentFiles.filter((path) => files.some((file) => isInside(path, file)));
  if (recent.length > 0)
    return `It touches ${listPaths(recent)}, changed within the last ${params.recentCommits} commits of the default branch; others may be working there.`;
  const intent = { category: params.category, files, title: candidate.title };
  const earlier = params.ledger.find((each) => blocks(each, intent, params.churn.get(each.baseCommit) ?? null));
  if (earlier === undefined) return null;
  return earlier.category === params.category
    ? describeEarlierProposal(earlier)
    : `As ${earlier.category}, ${describeEarlierProposal(earlier)}`;
}

/** Excludes image files such as a Dockerfile: only one line of them is a dependency, which the diff policy checks. */
export function isDependencyFile(path: string): boolean {
  const place = findDependencySection(path);
  return place !== null && place.kind !== "image";
}

/** Normalizes a path to git's form. Directories keep their trailing slash. Null if it is not a path inside the repository. */
export function cleanPath(path: string): string | null {
  // oxlint-disable-next-line no-control-regex -- a path cannot contain NUL
  if (path.startsWith("/") || /^[A-Za-z]:|\\|\u0000/.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.some((part) => part === ".." || part.toLowerCase() === ".git")) return null;
  return parts.join("/") + (path.endsWith("/") ? "/" : "");
}

export function cleanFiles(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => cleanPath(file) ?? []))].toSorted();
}

/** `file` may be a directory, with or without a trailing slash. */
function isInside(path: string, file: string): boolean {
  return path === file || path.startsWith(file.endsWith("/") ? file : `${file}/`);
}

const MAX_LISTED_PATHS = 3;

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_LISTED_PATHS).join(", ");
  return paths.length > MAX_LISTED_PATHS ? `${shown} and ${paths.length - MAX_LISTED_PATHS} more` : shown;
}

const STATUS_PHRASES: Readonly<Record<Exclude<ProposalStatus, "proposed">, string>> = {
  published: "is still open",
  merged: "was merged",
  closed: "was closed",
  rejected: "was rejected",
  abandoned: "was tried and abandoned",
};

function describeReason({ kind, text }: ProposalReason): string {
  const words = kind.replaceAll("_", " ");
  return text === "" ? words : `${words}, ${text.replace(/[.\s]+$/, "")}`;
}

export function describeEarlierProposal(proposal: Pick<Proposal, "status" | "title" | "url" | "reason">): string {
  const { status, title, url, reason } = proposal;
  // A person can reject a change request before the engine sees on the forge that it was closed.
  if (status === "published" && reason !== null)
    return `"${title}" is not wanted${url === null ? "" : ` (${url})`}: ${describeReason(reason)}.`;
  if (status === "published" && url === null)
    return `"${title}" was pushed as a branch, and its files have not changed enough since.`;
  const phrase = status === "proposed" ? "was proposed before" : STATUS_PHRASES[status];
  const since = status === "published" ? "" : ", and its files have not changed enough since";
  return `"${title}" ${phrase}${url === null ? "" : ` (${url})`}${since}.`;
}

const SLUG = /^[a-z0-9][a-z0-9-]{2,48}$/;
/** The slug of a title that has no usable characters. */
const EMPTY_SLUG = slugOf("");

export interface SlugParams {
  readonly reported: string | null;
  readonly title: string;
  readonly category: string;
  readonly digest: (text: string) => string;
}

/**
 * Uses the agent's slug if it is valid, otherwise derives one from the title. If the title has no usable characters, the
 * slug contains a digest of the title, so that two such titles never share a branch.
 */
export function candidateSlug({ reported, title, category, digest }: SlugParams): string {
  if (reported !== null && SLUG.test(reported)) return reported;
  const slug = slugOf(title);
  return SLUG.test(slug) && slug !== EMPTY_SLUG ? slug : `${slugOf(category)}-${digest(title).slice(0, 8)}`;
}

type Found = PayloadOf<"improvement_found">;

export type Candidate = Found["candidates"][number];

/** Findings of the `analyze` role after the engine dropped the candidates that are not allowed. */
export interface Analysis extends Pick<Found, "category" | "candidates" | "selected" | "slug"> {
  readonly dropped: NonNullable<Found["dropped"]>;
}

export function toAnalysis({ category, candidates, selected, slug, dropped = [] }: Found): Analysis {
  return { category, candidates, selected, slug, dropped };
}

export function selectedCandidate({ candidates, selected }: Analysis): Candidate | null {
  return candidates.find(({ rank }) => rank === selected) ?? null;
}

/** The `describe` role's text about the finished change. */
export type Description = PayloadOf<"described">;
