/**
 * Where change requests live. An adapter speaks for one project there and holds its token; nothing else ever sees it, but
 * for an agent that publishes where the user chose that (`lend`).
 * Every verb rejects with a ForgeError whose sentence says what the forge found and what to do.
 */
export interface Forge {
  /** For messages: `gitlab.example.com/team/shop`. */
  readonly place: string;
  /** For git over https, where the remote is this forge; null for every other remote. */
  credentialsFor(remote: string): GitCredentials | null;

  /**
   * Opens a change request for a branch that is already pushed, or takes the open one that the branch has and brings its
   * title, text and labels up to date. Called again after a crash it never opens a second one: one of this branch and
   * commit that was merged or closed meanwhile is it, and is left as it is. `onOpened` hears of it before anything else is
   * asked of the forge. What fails after that is a warning, unless the token is refused: it is open, and must not be lost.
   */
  publish(draft: ChangeRequestDraft, onOpened?: OnOpened): Promise<Published>;

  /** The one that `publish` would take for this branch and commit; null where it would open one. Changes nothing. */
  find(pushed: Pick<ChangeRequestDraft, "branch" | "commit">): Promise<FoundRequest | null>;

  /**
   * The token, as the forge's own program and git take it, for the one run of an agent that publishes. Throws a ForgeError
   * where there is none.
   */
  lend(): ForgeLoan;

  /** The open ones with this label, however many pages they fill; newest first. */
  listOpen(label: string): Promise<readonly ChangeRequest[]>;

  /** How it stands now. Rejects with trouble "missing" when the forge has no such change request (any more). */
  read(number: number): Promise<ChangeRequestState>;

  /** The same in one request, without what people and CI said. */
  look(number: number): Promise<ChangeRequestLook>;

  /** What would keep `publish` from working, a sentence each: token missing, expired or without a scope, project unknown. */
  check(): Promise<readonly string[]>;
}

/** A call of a forge's webhook, as it came. */
export interface HookCall {
  readonly header: (name: string) => string | null;
  /** Read when it is asked for, at most once: anybody can send one. */
  readonly body: () => Promise<Uint8Array>;
}

export interface GitCredentials {
  readonly username: string;
  readonly password: string;
}

export interface ForgeLoan {
  /** The call of the forge's own program that opens this one, as a person would type it. */
  openCommand(draft: Pick<ChangeRequestDraft, "branch" | "target" | "title">): string;
  /** Whom it must reach, as `sandbox.network` says it. */
  readonly network: readonly string[];
  /** Nothing in it is secret; git's `origin` is the project at the forge. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** May be called again for the same one. What it throws, `publish` rejects with. */
export type OnOpened = (opened: ChangeRequest) => Promise<void>;

export interface ChangeRequestDraft {
  readonly branch: string;
  /** What the branch was pushed with. */
  readonly commit: string;
  readonly target: string;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  readonly labels: readonly string[];
  readonly reviewer: string | null;
  readonly assignee: string | null;
  readonly draft: boolean;
}

export interface ChangeRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly branch: string;
}

export interface FoundRequest extends ChangeRequest {
  readonly state: ChangeRequestLook["state"];
  /** The addresses of others that the branch has open, to whatever target: there should be none. */
  readonly alsoOpen: readonly string[];
}

export interface Published extends ChangeRequest {
  readonly state: ChangeRequestLook["state"];
  /** False: the branch had one already. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

export interface ChangeRequestLook extends ChangeRequest {
  readonly state: "open" | "merged" | "closed";
  /** The branch's newest commit, as the forge sees it. */
  readonly headCommit: string;
  readonly mergeCommit: string | null;
}

export interface ChangeRequestState extends ChangeRequestLook {
  /** Null while the forge still finds out. */
  readonly hasConflict: boolean | null;
  readonly labels: readonly string[];
  /** By people and bots, oldest first, without the forge's own notes. */
  readonly comments: readonly ForgeComment[];
  readonly ci: CiState;
}

export interface ForgeComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly at: number;
}

/** `none`: nothing has run for the newest commit. */
export type CiState = "none" | "running" | "passed" | "failed";
