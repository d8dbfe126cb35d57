import type { MergeMethod, MergeObstacle } from "../../../core/forge/merge.ts";
import { preferredMethod } from "../../../core/forge/merge.ts";
import { ForgeError } from "../../../core/text/errors.ts";
import { shortHash } from "../../../core/text/short-hash.ts";
import type { ChangeRequestLook, Merged, MergeParams } from "../../../ports/forge.ts";
import { fitBody } from "./texts.ts";

/** The operations of a forge that merging and closing one change request need. Each takes one or two requests. */
export interface MergingForge<Found> {
  /** Starts a sentence: `Pull request #7`. */
  readonly name: string;
  readonly repository: string;
  find(): Promise<Found>;
  describe(found: Found): ChangeRequestLook;
  /** What the forge already reports as an obstacle. Null if it may be merged, or if the forge has not decided yet. */
  findObstacle(found: Found): VisibleObstacle | null;
  listMethods(): Promise<readonly MergeMethod[]>;
  merge(params: { readonly commit: string; readonly method: MergeMethod }): Promise<void>;
  /** Why the forge refused the merge, from its response and the state after it. */
  explainRefusal(error: ForgeError, found: Found): Promise<MergeObstacle>;
  /** Deletes the branch if it still has this commit. */
  deleteBranch(found: Found, commit: string): Promise<void>;
  listComments(): Promise<readonly string[]>;
  comment(body: string): Promise<void>;
  close(): Promise<void>;
}

/** An obstacle that the state of a change request shows. */
export type VisibleObstacle = Exclude<MergeObstacle, "method" | "other">;

interface MergeOptions extends MergeParams {
  readonly pause: (ms: number) => Promise<void>;
}

/** Some forges merge in the background. */
const MAX_LOOKS = 5;
const LOOK_DELAY_MS = 1_000;

/** Merges exactly once, however often it is called: after each failure it looks whether the merge happened anyway. */
export async function mergeOnce<Found>(forge: MergingForge<Found>, options: MergeOptions): Promise<Merged> {
  const before = await forge.find();
  const isMerged = forge.describe(before).state === "merged";
  const merged = isMerged ? before : await mergeNow(forge, before, options);
  const { headCommit, mergeCommit } = forge.describe(merged);
  if (headCommit !== options.commit) throw refuse(forge, "head_moved", mergedElsewhere(headCommit, options.commit));
  return { mergeCommit, warnings: await deleteBranch(forge, merged, options.commit) };
}

async function mergeNow<Found>(forge: MergingForge<Found>, before: Found, options: MergeOptions): Promise<Found> {
  const { commit, comment = null } = options;
  const obstacle = findObstacle(forge, before, commit);
  if (obstacle !== null) throw refuse(forge, obstacle);
  const method = await chooseMethod(forge, options.method);
  if (comment !== null) await commentOnce(forge, comment);
  try {
    await forge.merge({ commit, method });
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    // The forge may have merged it although the response was lost.
    const after = await forge.find();
    if (forge.describe(after).state === "merged") return after;
    throw error.trouble === "refused" ? await explain(forge, error, { after, commit }) : error;
  }
  return waitUntilMerged(forge, options);
}

function findObstacle<Found>(forge: MergingForge<Found>, found: Found, commit: string): VisibleObstacle | null {
  const { state, headCommit } = forge.describe(found);
  if (state === "closed") return "closed";
  return headCommit === commit ? forge.findObstacle(found) : "head_moved";
}

async function explain<Found>(
  forge: MergingForge<Found>,
  error: ForgeError,
  { after, commit }: { readonly after: Found; readonly commit: string },
): Promise<ForgeError> {
  const obstacle = findObstacle(forge, after, commit) ?? (await forge.explainRefusal(error, after));
  return obstacle === "other" || obstacle === "method"
    ? new ForgeError("refused", error.message, { hint: error.hint, obstacle })
    : refuse(forge, obstacle);
}

async function chooseMethod<Found>(forge: MergingForge<Found>, wanted: MergeMethod | null): Promise<MergeMethod> {
  const allowed = await forge.listMethods();
  const method = wanted ?? preferredMethod(allowed);
  if (method !== null && allowed.includes(method)) return method;
  const which = wanted === null ? "any merge method" : `the merge method "${wanted}"`;
  throw new ForgeError("refused", `${forge.repository} does not allow ${which}.`, {
    hint: allowed.length === 0 ? null : `Allowed: ${allowed.join(", ")}.`,
    obstacle: "method",
  });
}

async function waitUntilMerged<Found>(forge: MergingForge<Found>, { pause }: MergeOptions): Promise<Found> {
  for (let looks = 1; ; looks++) {
    const found = await forge.find();
    if (forge.describe(found).state === "merged") return found;
    if (looks >= MAX_LOOKS)
      throw new ForgeError(
        "unreachable",
        `${forge.name} at ${forge.repository} was accepted for merging but is not merged yet.`,
        {
          hint: "Look at it there. If it was merged, Nightshift notices it.",
        },
      );
    await pause(LOOK_DELAY_MS * looks);
  }
}

async function deleteBranch<Found>(forge: MergingForge<Found>, merged: Found, commit: string): Promise<string[]> {
  try {
    await forge.deleteBranch(merged, commit);
    return [];
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return [`The branch was not deleted. ${error.message}`];
  }
}

export async function closeOnce<Found>(forge: MergingForge<Found>, comment: string): Promise<"closed" | "merged"> {
  const { state } = forge.describe(await forge.find());
  if (state === "merged") return state;
  await commentOnce(forge, comment);
  if (state === "open") await forge.close();
  return "closed";
}

/** Forges have no idempotency keys, so the text itself shows that it was posted. */
async function commentOnce<Found>(forge: MergingForge<Found>, comment: string): Promise<void> {
  const body = fitBody(comment).trim();
  const posted = await forge.listComments();
  if (!posted.some((each) => each.replaceAll("\r\n", "\n").trim() === body)) await forge.comment(body);
}

const REFUSALS: Readonly<Record<VisibleObstacle, readonly [why: string, hint: string]>> = {
  closed: ["it is closed", "Reopen it, or give the task up."],
  head_moved: ["its branch has another commit than the one that was reviewed", "Look at the new commits there."],
  draft: ["it is a draft", "Mark it as ready."],
  conflict: ["it conflicts with its target branch", "Resolve the conflict."],
  behind: ["its branch is not up to date with its target branch", "Update the branch."],
  ci_failed: ["its CI failed", "Look at the CI results there."],
  ci_running: ["its CI has not finished", "Try again when it has."],
  reviews: ["it lacks a review or approval that the project requires", "Ask for it there."],
};

function refuse(
  { repository, name }: Pick<MergingForge<unknown>, "repository" | "name">,
  obstacle: VisibleObstacle,
  [why, hint] = REFUSALS[obstacle],
): ForgeError {
  return new ForgeError("refused", `${name} at ${repository} cannot be merged: ${why}.`, { hint, obstacle });
}

function mergedElsewhere(headCommit: string, expected: string): readonly [string, string] {
  const why = `it was merged with ${shortHash(headCommit)} instead of the expected ${shortHash(expected)}`;
  return [why, "Look at what was merged there."];
}
