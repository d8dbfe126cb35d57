import type { TreeName } from "../workspace.ts";

/**
 * What the project's install command made, kept per project. Agents never have access to it: every workspace gets its own copy.
 * Only set-ups in untouched workspaces of base commits may be kept.
 */
export interface SetupCache {
  /**
   * Copies what an earlier set-up with the same inputs made into a workspace and the HOME of its commands. Inputs are the command,
   * the environment, the dependency files of the checkout, the copied files and the installed tools. Nothing may run in the
   * workspace. Never follows links, and replaces nothing. A result other than `restored` leaves both unchanged.
   */
  restoreSetup(params: SetupParams): Promise<RestoredSetup>;

  /**
   * Keeps what set-up made in a workspace: all untracked files, and all files in its HOME, which was empty before. Call it after
   * set-up and before anything else runs there. A crash leaves nothing that `restoreSetup` would use.
   */
  keepSetup(params: KeepSetupParams): Promise<KeptSetup>;

  /** Removes what is too old to be used. */
  removeOldSetups(): Promise<void>;
}

export interface SetupParams extends TreeName {
  readonly project: string;
  /** HOME of the set-up command. */
  readonly home: string;
  readonly command: string;
  /** Everything else that decides what the command does, as text. */
  readonly environment: string;
  /** The PATH that the command's programs are searched in. */
  readonly path: string;
}

export interface KeepSetupParams extends TreeName {
  readonly project: string;
  readonly home: string;
  /** From `restoreSetup`, before set-up ran. */
  readonly key: string;
}

/** `key`: for `keepSetup`. Null if nothing may be kept, because HOME has files of earlier commands. */
export type RestoredSetup =
  | { readonly kind: "restored"; readonly keptAt: number }
  | { readonly kind: "missing"; readonly key: string | null }
  /** What was kept is incomplete. It was removed, so that it can be kept again. */
  | { readonly kind: "damaged"; readonly key: string | null; readonly reason: string }
  /** The workspace or HOME already has files with these names. */
  | { readonly kind: "occupied"; readonly key: null; readonly reason: string };

export type KeptSetup =
  | { readonly kind: "kept"; readonly files: number; readonly bytes: number }
  | { readonly kind: "refused"; readonly reason: string };
