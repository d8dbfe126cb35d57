import type { Candidate } from "./analysis.ts";
import { candidateSlug } from "./candidates-slug.ts";
import { findDependencySection } from "../change/dependency-files.ts";
import { blocks, type FileChurn, type Proposal, type ProposalStatus } from "./proposal.ts";
import type { ProposalReason } from "./proposal-reason.ts";

export interface ChooseParams {
  readonly category: string;
  readonly candidates: readonly Candidate[];
  /** The rank that the agent chose, and the slug it gave to that one. */
  readonly selected: number;
  readonly slug: string | null;
  /** What the last `recentCommits` commits of the default branch changed. */
  readonly recentFiles: readonly string[];
  readonly recentCommits: number;
  /** A candidate that touches a manifest or lock file is dropped. */
  readonly refusesDependencies: boolean;
  readonly ledger: readonly Proposal[];
  /** By the base commit of the proposals: what happened to their files since; missing or null where nobody can tell. */
  readonly churn: ReadonlyMap<string, readonly FileChurn[] | null>;
  readonly digest: (text: string) => string;
}

export interface Choice {
  /** With its files spelled as git spells them; null where none is left. */
  readonly selected: (Candidate & { readonly slug: string }) | null;
  readonly dropped: readonly DroppedCandidate[];
}

export interface DroppedCandidate {
  readonly rank: number;
  readonly title: string;
  /** A sentence for people. */
  readonly reason: string;
}

/** Drops what the rules do not allow; of the rest, what the agent chose, or else the best of them. */
export function chooseCandidate(params: ChooseParams): Choice {
  const judged = params.candidates
    .toSorted((one, other) => one.rank - other.rank)
    .map((candidate) => ({ candidate, reason: whyNot(candidate, params) }));
  const left = judged.filter(({ reason }) => reason === null).map(({ candidate }) => candidate);
  const chosen = left.find(({ rank }) => rank === params.selected) ?? left[0];
  return {
    selected: chosen === undefined ? null : finish(chosen, params),
    dropped: judged.flatMap(({ candidate: { rank, title }, reason }) =>
      reason === null ? [] : [{ rank, title, reason }],
    ),
  };
}

function finish(chosen: Candidate, { slug, selected, category, digest }: ChooseParams): Choice["selected"] {
  const { title, rank } = chosen;
  // The agent's slug is about what the agent chose.
  const reported = rank === selected ? slug : null;
  return { ...chosen, files: cleanFiles(chosen.files), slug: candidateSlug({ reported, title, category, digest }) };
}

/** Null where nothing speaks against it. */
function whyNot(candidate: Candidate, params: ChooseParams): string | null {
  const outside = candidate.files.find((file) => cleanPath(file) === null);
  if (outside !== undefined) return `It names ${JSON.stringify(outside)}, which is no path inside the repository.`;
  const files = cleanFiles(candidate.files);
  if (files.length === 0) return "It names no file, so nobody can tell what it would touch.";
  const dependencies = params.refusesDependencies ? files.filter(isDependencyFile) : [];
  if (dependencies.length > 0)
    return `It touches ${some(dependencies)}, which ${dependencies.length === 1 ? "says" : "say"} what the project is built from; nights leave dependencies alone.`;
  const recent = params.recentFiles.filter((path) => files.some((file) => isIn(path, file)));
  if (recent.length > 0)
    return `It touches ${some(recent)}, changed within the last ${params.recentCommits} commits of the default branch; others may be working there.`;
  const intent = { category: params.category, files, title: candidate.title };
  const known = params.ledger.find((each) => blocks(each, intent, params.churn.get(each.baseCommit) ?? null));
  if (known === undefined) return null;
  return known.category === params.category ? describeKnown(known) : `As ${known.category}, ${describeKnown(known)}`;
}

/** Of an image only the line that names it is a dependency; the diff policy looks at that. */
export function isDependencyFile(path: string): boolean {
  const place = findDependencySection(path);
  return place !== null && place.kind !== "image";
}

/** As git spells it, a directory with its slash at the end; null where it is no path inside the repository. */
export function cleanPath(path: string): string | null {
  // oxlint-disable-next-line no-control-regex -- NUL is in no path
  if (path.startsWith("/") || /^[A-Za-z]:|\\|\u0000/.test(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.some((part) => part === ".." || part.toLowerCase() === ".git")) return null;
  return parts.join("/") + (path.endsWith("/") ? "/" : "");
}

export function cleanFiles(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => cleanPath(file) ?? []))].toSorted();
}

/** `file` may be a directory, with or without its slash. */
function isIn(path: string, file: string): boolean {
  return path === file || path.startsWith(file.endsWith("/") ? file : `${file}/`);
}

const SHOWN = 3;

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).join(", ");
  return paths.length > SHOWN ? `${shown} and ${paths.length - SHOWN} more` : shown;
}

const BECAME: Readonly<Record<Exclude<ProposalStatus, "proposed">, string>> = {
  published: "is still open",
  merged: "was merged",
  closed: "was closed",
  rejected: "was rejected",
  abandoned: "was tried and given up",
};

function sayReason({ kind, text }: ProposalReason): string {
  const words = kind.replaceAll("_", " ");
  return text === "" ? words : `${words}, ${text.replace(/[.\s]+$/, "")}`;
}

export function describeKnown(proposal: Pick<Proposal, "status" | "title" | "url" | "reason">): string {
  const { status, title, url, reason } = proposal;
  // Said by a person, who knows sooner than the forge is asked again.
  if (status === "published" && reason !== null)
    return `"${title}" is not wanted${url === null ? "" : ` (${url})`}: ${sayReason(reason)}.`;
  if (status === "published" && url === null)
    return `"${title}" was pushed as a branch, and its files have not changed enough since.`;
  const became = status === "proposed" ? "was named before" : BECAME[status];
  const since = status === "published" ? "" : ", and its files have not changed enough since";
  return `"${title}" ${became}${url === null ? "" : ` (${url})`}${since}.`;
}
