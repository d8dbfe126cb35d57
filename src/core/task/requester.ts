import { UserError } from "../text/errors.ts";
import type { Actor } from "./event.ts";

export const RIGHTS = ["submit", "approve", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** The person who requests a command, and their rights. */
export interface Requester extends Actor {
  readonly rights: readonly Right[];
}

export function hasRight({ rights }: Pick<Requester, "rights">, right: Right): boolean {
  return rights.includes("admin") || rights.includes(right);
}

/** Throws a UserError if the requester does not have this right. `what` starts a sentence, such as "Approving a plan". */
export function requireRight(requester: Pick<Requester, "name" | "rights">, right: Right, what = "This"): void {
  if (hasRight(requester, right)) return;
  const { name, rights } = requester;
  throw new UserError(
    "forbidden",
    `${what} needs the right "${right}"; ${name} ${rights.length === 0 ? "may only read" : `may ${rights.join(", ")}`}.`,
    `Someone with the right "admin" can grant it with "nightshift token add <name> --may ${right}".`,
  );
}
