import type { Forge } from "../../../ports/forge.ts";

/** The methods that every kind of forge implements itself. */
export type ForgeApi = Pick<Forge, "publish" | "find" | "listOpen" | "read" | "look" | "check">;

/** The people named in the project's settings. */
export interface People {
  readonly reviewer: string | null;
  readonly assignee: string | null;
}
