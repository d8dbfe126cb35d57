import type { Forge } from "../../../ports/forge.ts";

/** What each kind of forge does in its own way. */
export type ForgeVerbs = Pick<Forge, "publish" | "find" | "listOpen" | "read" | "look" | "check">;

/** Those that the project's settings name. */
export interface People {
  readonly reviewer: string | null;
  readonly assignee: string | null;
}
