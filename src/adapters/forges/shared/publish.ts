import { ForgeError } from "../../../core/text/errors.ts";
import type { ChangeRequest, ChangeRequestDraft, FoundRequest, OnOpened, Published } from "../../../ports/forge.ts";

/** The operations of a forge that publishing needs. Each takes one or two requests. */
export interface PublishingForge<Found> {
  /** All change requests of this branch, with any target and state, newest first. */
  findAll(branch: string): Promise<readonly Found[]>;
  describe(found: Found): DescribedRequest;
  /** Rejects with AlreadyOpenError if the branch has an open one. */
  create(draft: ChangeRequestDraft, warn: Warn): Promise<Found>;
  update(found: Found, draft: ChangeRequestDraft): Promise<void>;
  /** Sets labels, reviewer and assignee. Warns about everything the forge does not accept. */
  applyLabelsAndReviewers(found: Found, draft: ChangeRequestDraft, warn: Warn): Promise<void>;
  readBack(number: number): Promise<ChangeRequest>;
}

export interface DescribedRequest extends ChangeRequest, Pick<Published, "state"> {
  readonly headCommit: string | null;
}

export type Warn = (warning: string) => void;

/** The forge reports an open change request that the search did not find. */
export class AlreadyOpenError extends Error {
  override readonly name = "AlreadyOpenError";
}

const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 1_000;

export interface PublishOptions {
  readonly pause: (ms: number) => Promise<void>;
  readonly onOpened: OnOpened | undefined;
}

/**
 * Opens exactly one change request, however often it is called. Searches before it creates one, and again after each
 * failed attempt, because the forge may have created it although the response was lost.
 */
export async function publishOnce<Found>(
  forge: PublishingForge<Found>,
  draft: ChangeRequestDraft,
  { pause, onOpened }: PublishOptions,
): Promise<Published> {
  const warnings: string[] = [];
  const warn: Warn = (warning) => void warnings.push(warning);
  const { found, isNew } = await findOrCreate(forge, draft, { warn, pause });
  const { number, url, title, branch, state } = forge.describe(found);
  const opened: ChangeRequest = { number, url, title, branch };
  await onOpened?.(opened);
  if (state !== "open") return { ...opened, isNew, state, warnings: [...warnings, `It was already ${state}.`] };
  if (!isNew) await orWarn("Its title and text were not updated.", warn, () => forge.update(found, draft));
  await orWarn("Labels, reviewer and assignee may be missing.", warn, () =>
    forge.applyLabelsAndReviewers(found, draft, warn),
  );
  const read = await orWarn("It could not be read back.", warn, () => forge.readBack(number));
  return { ...(read ?? opened), isNew, state, warnings };
}

/** Finds the change request that `publishOnce` would use. */
export async function findPublished<Found>(
  forge: PublishingForge<Found>,
  pushed: Pick<ChangeRequestDraft, "branch" | "commit">,
): Promise<FoundRequest | null> {
  const all = await forge.findAll(pushed.branch);
  const found = findOwn(forge, all, pushed);
  if (found === null) return null;
  const { number, url, title, branch, state } = forge.describe(found);
  const open = all.map((each) => forge.describe(each)).filter((each) => each.state === "open");
  const alsoOpen = open.filter((each) => each.number !== number).map((each) => each.url);
  return { number, url, title, branch, state, alsoOpen };
}

/** Turns errors into warnings, because the change request is already open. A refused token is still an error. */
async function orWarn<T>(what: string, warn: Warn, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ForgeError) || error.trouble === "credentials") throw error;
    warn(`${what} ${error.message}`);
    return null;
  }
}

async function findOrCreate<Found>(
  forge: PublishingForge<Found>,
  draft: ChangeRequestDraft,
  { warn, pause }: { readonly warn: Warn; readonly pause: (ms: number) => Promise<void> },
): Promise<{ readonly found: Found; readonly isNew: boolean }> {
  // A change request found after a failed attempt is new, unless the forge said that it already existed.
  let isNew = false;
  let failure: ForgeError | null = null;
  for (let attempt = 1; ; attempt++) {
    const found = findOwn(forge, await forge.findAll(draft.branch), draft);
    if (found !== null) return { found, isNew };
    if (failure !== null && attempt > MAX_ATTEMPTS) throw failure;
    try {
      return { found: await forge.create(draft, warn), isNew: true };
    } catch (error) {
      const alreadyOpen = error instanceof AlreadyOpenError;
      if (!alreadyOpen && !(error instanceof ForgeError && error.trouble === "unreachable")) throw error;
      failure = alreadyOpen ? hiddenRequestError(draft) : error;
      isNew = !alreadyOpen;
      await pause(RETRY_DELAY_MS * attempt);
    }
  }
}

/** Finds the open change request of the branch, or one of this commit that was merged or closed in the meantime. */
function findOwn<Found>(
  { describe }: PublishingForge<Found>,
  all: readonly Found[],
  { commit }: Pick<ChangeRequestDraft, "commit">,
): Found | null {
  const open = all.find((each) => describe(each).state === "open");
  return open ?? all.find((each) => describe(each).headCommit === commit) ?? null;
}

function hiddenRequestError(draft: ChangeRequestDraft): ForgeError {
  return new ForgeError(
    "refused",
    `The forge reports an open change request for "${draft.branch}" but does not show it to this token.`,
    { hint: "Check that the token is allowed to read change requests, or close the existing one." },
  );
}
