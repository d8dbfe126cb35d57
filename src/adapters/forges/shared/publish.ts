import { ForgeError } from "../../../core/text/errors.ts";
import type { ChangeRequest, ChangeRequestDraft, FoundRequest, OnOpened, Published } from "../../../ports/forge.ts";

/** What publishing needs of a forge, one or two requests each. */
export interface PublishingForge<Found> {
  /** All of this branch, whatever their target and state is; newest first. */
  findAll(branch: string): Promise<readonly Found[]>;
  describe(found: Found): Described;
  /** Rejects with AlreadyOpen where the branch has one. */
  create(draft: ChangeRequestDraft, warn: Warn): Promise<Found>;
  update(found: Found, draft: ChangeRequestDraft): Promise<void>;
  /** Labels, reviewer, assignee: what the forge does not take is a warning. */
  dress(found: Found, draft: ChangeRequestDraft, warn: Warn): Promise<void>;
  readBack(number: number): Promise<ChangeRequest>;
}

export interface Described extends ChangeRequest, Pick<Published, "state"> {
  readonly headCommit: string | null;
}

export type Warn = (warning: string) => void;

/** The forge's way to say that there is one already, which our search did not show. */
export class AlreadyOpen extends Error {
  override readonly name = "AlreadyOpen";
}

const TRIES = 3;
const PAUSE_MS = 1_000;

export interface Publishing {
  readonly pause: (ms: number) => Promise<void>;
  readonly onOpened: OnOpened | undefined;
}

/**
 * Looks before it creates, and looks again after each creation that broke off: the forge may have done it and only the
 * answer was lost. So whatever happens on the way, and however often it is called, there is one.
 */
export async function publishOnce<Found>(
  forge: PublishingForge<Found>,
  draft: ChangeRequestDraft,
  { pause, onOpened }: Publishing,
): Promise<Published> {
  const warnings: string[] = [];
  const warn: Warn = (warning) => void warnings.push(warning);
  const { found, isNew } = await findOrCreate(forge, draft, { warn, pause });
  const { number, url, title, branch, state } = forge.describe(found);
  const opened: ChangeRequest = { number, url, title, branch };
  await onOpened?.(opened);
  if (state !== "open") return { ...opened, isNew, state, warnings: [...warnings, `It was ${state} before.`] };
  if (!isNew) await orWarn("Its title and text are as they were.", warn, () => forge.update(found, draft));
  await orWarn("Labels, reviewer and assignee may be missing.", warn, () => forge.dress(found, draft, warn));
  const read = await orWarn("It could not be read back.", warn, () => forge.readBack(number));
  return { ...(read ?? opened), isNew, state, warnings };
}

/** What `publishOnce` would take. */
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

/** What is open stays open, whatever the forge has against what comes after. Only a person can mend the token. */
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
  // One that we find after trying is ours, unless the forge said that it was there before.
  let tried = false;
  let failure: ForgeError | null = null;
  for (let attempt = 1; ; attempt++) {
    const found = findOwn(forge, await forge.findAll(draft.branch), draft);
    if (found !== null) return { found, isNew: tried };
    if (failure !== null && attempt > TRIES) throw failure;
    try {
      return { found: await forge.create(draft, warn), isNew: true };
    } catch (error) {
      const isThere = error instanceof AlreadyOpen;
      if (!isThere && !(error instanceof ForgeError && error.trouble === "unreachable")) throw error;
      failure = isThere ? explainHidden(draft) : error;
      tried = !isThere;
      await pause(PAUSE_MS * attempt);
    }
  }
}

/** The open one of the branch, or one of this very commit that people were faster with than we. */
function findOwn<Found>(
  { describe }: PublishingForge<Found>,
  all: readonly Found[],
  { commit }: Pick<ChangeRequestDraft, "commit">,
): Found | null {
  const open = all.find((each) => describe(each).state === "open");
  return open ?? all.find((each) => describe(each).headCommit === commit) ?? null;
}

function explainHidden(draft: ChangeRequestDraft): ForgeError {
  return new ForgeError(
    "refused",
    `The forge says that "${draft.branch}" has an open change request, but shows none to this token.`,
    { hint: "Check that the token may read change requests, or close the other one." },
  );
}
