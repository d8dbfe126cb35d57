import type { MergeObstacle } from "../forge/merge.ts";
import { escapedLine } from "./terminal-text.ts";

/** A request that cannot be fulfilled because of what the user did or asked for. `hint` says what to do instead. */
export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly kind: UserErrorKind;
  readonly hint: string | null;

  constructor(kind: UserErrorKind, message: string, hint: string | null = null) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

export type UserErrorKind =
  | "invalid" // the request itself is wrong
  | "not_found"
  | "conflict" // valid request, but not in the current state
  | "forbidden"
  | "unavailable"; // this machine cannot do it now (disk full, port in use, sandbox missing)

/** Git's remote does not answer, is gone or asks for credentials. The task itself is not the cause. */
export class RemoteError extends UserError {
  override readonly name = "RemoteError";
  /** `refused`: a rule of the remote declines what is pushed. */
  readonly trouble: "unreachable" | "missing" | "credentials" | "refused";

  constructor(trouble: RemoteError["trouble"], message: string, hint: string | null = null) {
    super(REMOTE_KINDS[trouble], message, hint);
    this.trouble = trouble;
  }
}

const REMOTE_KINDS: Readonly<Record<RemoteError["trouble"], UserErrorKind>> = {
  unreachable: "unavailable",
  missing: "not_found",
  credentials: "forbidden",
  refused: "forbidden",
};

/** This machine cannot do it now: a disk is full, a program is missing or one of Nightshift's own files is unusable. */
export class MachineError extends UserError {
  override readonly name = "MachineError";

  constructor(message: string, hint: string | null = null) {
    super("unavailable", message, hint);
  }
}

/** An error reported by the forge. `refused` concerns the request and would repeat; the other kinds concern timing or the token. */
export class ForgeError extends UserError {
  override readonly name = "ForgeError";
  readonly trouble: "credentials" | "unreachable" | "rate_limit" | "missing" | "refused";
  /** When a retry makes sense. Null if unknown. */
  readonly retryAt: number | null;
  /** Why the forge does not merge the change request. Null if the error is not about a merge. */
  readonly obstacle: MergeObstacle | null;

  constructor(
    trouble: ForgeError["trouble"],
    message: string,
    { hint = null, retryAt = null, obstacle = null }: ForgeErrorOptions = {},
  ) {
    super(FORGE_KINDS[trouble], message, hint);
    this.trouble = trouble;
    this.retryAt = retryAt;
    this.obstacle = obstacle;
  }
}

interface ForgeErrorOptions {
  readonly hint?: string | null;
  readonly retryAt?: number | null;
  readonly obstacle?: MergeObstacle | null;
}

const FORGE_KINDS: Readonly<Record<ForgeError["trouble"], UserErrorKind>> = {
  credentials: "forbidden",
  unreachable: "unavailable",
  rate_limit: "unavailable",
  missing: "not_found",
  refused: "conflict",
};

export interface Issue {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Dotted path of the key. Empty for the whole file. */
  readonly key: string;
  readonly message: string;
}

/** All problems of a configuration file at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(formatIssue).join("\n"));
    this.issues = issues;
  }
}

/** Always one line, because names and keys of a file can contain line breaks that would imitate another message. */
export function formatIssue(issue: Issue): string {
  const place = [issue.file, issue.line, issue.column].filter((part) => part !== null).join(":");
  return escapedLine([place, issue.key, issue.message].filter((part) => part !== "").join(": "));
}

/** The run was taken over or ended by another process. The old lease may no longer write. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The task changed between reading and writing. Read it again and decide again. */
export class StaleTaskError extends Error {
  override readonly name = "StaleTaskError";
}
