import { ForgeError } from "../../core/errors.ts";
import type { ChangeRequest, ChangeRequestDraft, Published } from "../../ports/forge.ts";

/** What publishing needs of a forge, one or two requests each. */
export interface PublishingForge<Found extends { readonly number: number }> {
  /** The open one of this branch, whatever its target is; the newest where there are several. */
  findOpen(branch: string): Promise<Found | null>;
  /** Rejects with AlreadyOpen where the branch has one. */
  create(draft: ChangeRequestDraft, warn: Warn): Promise<Found>;
  update(found: Found, draft: ChangeRequestDraft): Promise<void>;
  /** Labels, reviewer, assignee: what the forge does not take is a warning. */
  dress(found: Found, draft: ChangeRequestDraft, warn: Warn): Promise<void>;
  readBack(number: number): Promise<ChangeRequest>;
}

export type Warn = (warning: string) => void;

/** The forge's way to say that there is one already, which our search did not show. */
export class AlreadyOpen extends Error {
  override readonly name = "AlreadyOpen";
}

const TRIES = 3;
const PAUSE_MS = 1_000;

/**
 * Looks before it creates, and looks again after each creation that broke off: the forge may have done it and only the
 * answer was lost. So whatever happens on the way, and however often it is called, there is one.
 */
export async function publishOnce<Found extends { readonly number: number }>(
  forge: PublishingForge<Found>,
  draft: ChangeRequestDraft,
  pause: (ms: number) => Promise<void>,
): Promise<Published> {
  const warnings: string[] = [];
  const warn: Warn = (warning) => void warnings.push(warning);
  const { found, isNew } = await findOrCreate(forge, draft, { warn, pause });
  if (!isNew) await forge.update(found, draft);
  await forge.dress(found, draft, warn);
  return { ...(await forge.readBack(found.number)), isNew, warnings };
}

async function findOrCreate<Found extends { readonly number: number }>(
  forge: PublishingForge<Found>,
  draft: ChangeRequestDraft,
  { warn, pause }: { readonly warn: Warn; readonly pause: (ms: number) => Promise<void> },
): Promise<{ readonly found: Found; readonly isNew: boolean }> {
  // One that we find after trying is ours, unless the forge said that it was there before.
  let tried = false;
  for (let attempt = 1; ; attempt++) {
    const found = await forge.findOpen(draft.branch);
    if (found !== null) return { found, isNew: tried };
    try {
      return { found: await forge.create(draft, warn), isNew: true };
    } catch (error) {
      const isThere = error instanceof AlreadyOpen;
      if (!isThere && !(error instanceof ForgeError && error.trouble === "unreachable")) throw error;
      if (attempt === TRIES) throw isThere ? explainHidden(draft) : error;
      tried = !isThere;
      await pause(PAUSE_MS * attempt);
    }
  }
}

function explainHidden(draft: ChangeRequestDraft): ForgeError {
  return new ForgeError(
    "refused",
    `The forge says that "${draft.branch}" has an open change request, but shows none to this token.`,
    { hint: "Check that the token may read change requests, or close the other one." },
  );
}
