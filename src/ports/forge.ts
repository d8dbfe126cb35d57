import type { ForgeGatewayPlan } from "./gateway.ts";
import type { ReviewDraft } from "../core/forge/review-text.ts";
import type { MergeMethod } from "../core/forge/merge.ts";

/**
 * The service that hosts change requests. An adapter instance belongs to one project and holds its token. Nothing else sees
 * the token, except an agent that publishes if the user chose that (`issueCredentials`).
 * Every method rejects with a ForgeError that says what the forge answered and what to do.
 */
export interface Forge {
  /** For messages: `gitlab.example.com/team/shop`. */
  readonly repository: string;
  /** Credentials for git over https if the remote belongs to this forge; null for every other remote. */
  credentialsFor(remote: string): GitCredentials | null;
  /** The number of the change request of this project with this address. Null for every other address. */
  findNumber(url: string): number | null;
  /** The ref of the repository with the newest commit of a change request, also of one from a fork. */
  headRef(number: number): string;

  /**
   * Opens a change request for an already pushed branch, or updates the title, text and labels of the branch's open one. A
   * second call after a crash never opens a second one: if one for this branch and commit was merged or closed meanwhile, it
   * is returned unchanged. `onOpened` is called before any further request to the forge. Later failures are only warnings
   * (unless the token is refused), because the change request is open and must not be lost.
   */
  publish(draft: ChangeRequestDraft, onOpened?: OnOpened): Promise<Published>;

  /** Returns the change request that `publish` would use for this branch and commit, or null if it would open one. Read-only. */
  find(pushed: Pick<ChangeRequestDraft, "branch" | "commit">): Promise<FoundRequest | null>;

  /**
   * Returns the token in the form that the forge's CLI and git expect, for the run of an agent that publishes. Throws a
   * ForgeError if there is no token.
   */
  issueCredentials(): ForgeCredentials;

  /**
   * Describes a gateway through which git and the forge's CLI reach the project without the token. Throws a ForgeError if
   * there is no token.
   */
  issueGateway(params: IssueGatewayParams): IssuedGateway;

  /** Lists all open change requests with this label (all pages), newest first. */
  listOpen(label: string): Promise<readonly ChangeRequest[]>;

  /** Returns the current state. Rejects with trouble "missing" if the change request does not exist (any more). */
  read(number: number): Promise<ChangeRequestState>;

  /** Returns the checks or jobs that failed for the newest commit, with what the forge shows about them. */
  readCiFailures(number: number): Promise<readonly CiFailure[]>;

  /** Whether this user may push to the project. False if the forge does not say. */
  hasWriteAccess(user: string): Promise<boolean>;

  /** Like `read`, but in a single request and without comments and CI. */
  readState(number: number): Promise<ChangeRequestLook>;

  /** Returns an issue. Rejects with trouble "missing" if there is none with this number; a change request is not an issue. */
  readIssue(number: number): Promise<ForgeIssue>;

  /**
   * Merges a change request whose head is `commit`, and deletes its branch. Idempotent: one that was merged with this head is a
   * success. Rejects with a ForgeError whose `obstacle` says why the forge does not merge it. A branch that cannot be deleted is
   * only a warning.
   */
  merge(number: number, params: MergeParams): Promise<Merged>;

  /**
   * Closes a change request with a comment, and returns its state. Idempotent: a comment with the same text is posted once, and
   * a merged change request is not changed.
   */
  close(number: number, comment: string): Promise<"closed" | "merged">;

  /**
   * Posts one review with line comments. Idempotent: a review with the same key is posted once, also after a crash. Comments on
   * lines that the forge does not accept become part of the text.
   */
  postReview(number: number, draft: ReviewDraft): Promise<PostedReview>;

  /** Returns one message per problem that would make `publish` fail: token missing, expired or without a scope, project unknown. */
  check(): Promise<readonly string[]>;
}

export interface PostedReview {
  /** False if it was posted before. */
  readonly isNew: boolean;
}

/** Written by anyone who can open an issue, so its text is untrusted. */
export interface ForgeIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
}

/** A webhook request from a forge. */
export interface HookCall {
  readonly header: (name: string) => string | null;
  /** Read on demand and at most once, because anyone can send a request. */
  readonly body: () => Promise<Uint8Array>;
}

export interface GitCredentials {
  readonly username: string;
  readonly password: string;
}

export interface ForgeCredentials {
  /** The command of the forge's CLI that opens this change request. */
  openCommand(draft: Pick<ChangeRequestDraft, "branch" | "target" | "title">): string;
  /** Hosts it must reach, in the format of `sandbox.network`. */
  readonly network: readonly string[];
  /** Contains no secrets. In the run, git's `origin` is the project at the forge. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface IssueGatewayParams {
  /** The branch that can be pushed, and the one that can never be. */
  readonly branch: string;
  readonly defaultBranch: string | null;
  /** A directory for files that only describe the gateway. */
  readonly filesDir: string;
}

export interface IssuedGateway {
  readonly plan: ForgeGatewayPlan;
  /** For the gateway only. */
  readonly keys: Readonly<Record<string, string>>;
  /** Points git and the CLI to the gateway. Contains no secrets. In the run, git's `origin` is the project at the forge. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

/** May be called more than once for the same change request. If it throws, `publish` rejects with that error. */
export type OnOpened = (opened: ChangeRequest) => Promise<void>;

export interface ChangeRequestDraft {
  readonly branch: string;
  /** The commit that was pushed to the branch. */
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
  /** URLs of other open change requests of the same branch, with any target. There should be none. */
  readonly alsoOpen: readonly string[];
}

export interface Published extends ChangeRequest {
  readonly state: ChangeRequestLook["state"];
  /** False if the branch already had a change request. */
  readonly isNew: boolean;
  readonly warnings: readonly string[];
}

export interface ChangeRequestLook extends ChangeRequest {
  readonly state: "open" | "merged" | "closed";
  /** The newest commit of the branch, according to the forge. */
  readonly headCommit: string;
  /** The branch to merge into. */
  readonly target: string;
  readonly mergeCommit: string | null;
}

export interface ChangeRequestState extends ChangeRequestLook {
  readonly author: string;
  /** Markdown, written by anyone who can open a change request, so it is untrusted. */
  readonly body: string;
  /** Null while the forge is still computing it. */
  readonly hasConflict: boolean | null;
  readonly labels: readonly string[];
  /** Comments of people and bots, oldest first, without the forge's system notes. */
  readonly comments: readonly ForgeComment[];
  readonly ci: CiState;
}

export interface MergeParams {
  readonly commit: string;
  /** Null: a method that the project allows, squash if possible. */
  readonly method: MergeMethod | null;
  /** Posted before the merge, once. */
  readonly comment?: string | null;
}

export interface Merged {
  readonly mergeCommit: string | null;
  readonly warnings: readonly string[];
}

export interface ForgeComment {
  readonly id: string;
  readonly author: string;
  readonly body: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly at: number;
  /** Written by a program. */
  readonly isBot: boolean;
  /** Part of a review that requests changes, and that was not withdrawn. At GitLab, every comment of a reviewer who requests changes. */
  readonly requestsChanges: boolean;
}

export interface CiFailure {
  readonly name: string;
  /** What the check reports about itself. May be empty. */
  readonly summary: string;
  /** The end of its log. Null if it has none that can be read. */
  readonly log: string | null;
}

/** `none`: CI has not run for the newest commit. */
export type CiState = "none" | "running" | "passed" | "failed";
