/** What a person did or asked for that cannot be done; `hint` says what to do instead. */
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
  | "conflict" // right in itself, but not in the state things are in
  | "forbidden"
  | "unavailable"; // this machine cannot do it now (disk full, port in use, sandbox missing)

/** Git's remote does not answer, or wants credentials that nobody can type: the task is not to blame. */
export class RemoteError extends UserError {
  override readonly name = "RemoteError";
  readonly trouble: "unreachable" | "credentials";

  constructor(trouble: RemoteError["trouble"], message: string, hint: string | null = null) {
    super(trouble === "credentials" ? "forbidden" : "unavailable", message, hint);
    this.trouble = trouble;
  }
}

/** What the forge said no to. `refused` is about the request and comes again; the others are about the moment or the token. */
export class ForgeError extends UserError {
  override readonly name = "ForgeError";
  readonly trouble: "credentials" | "unreachable" | "rate_limit" | "missing" | "refused";
  /** When asking again makes sense; null where nobody said. */
  readonly retryAt: number | null;

  constructor(
    trouble: ForgeError["trouble"],
    message: string,
    { hint = null, retryAt = null }: { readonly hint?: string | null; readonly retryAt?: number | null } = {},
  ) {
    super(FORGE_KINDS[trouble], message, hint);
    this.trouble = trouble;
    this.retryAt = retryAt;
  }
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
  /** Dotted path of the key, empty for the whole file. */
  readonly key: string;
  readonly message: string;
}

/** Everything that is wrong with a file people wrote, at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(formatIssue).join("\n"));
    this.issues = issues;
  }
}

export function formatIssue(issue: Issue): string {
  const place = [issue.file, issue.line, issue.column].filter((part) => part !== null).join(":");
  return [place, issue.key, issue.message].filter((part) => part !== "").join(": ");
}

/** The run was taken over or ended by someone else: whoever holds the old lease may write nothing more. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** The task changed between reading and writing; read again and decide again. */
export class StaleTaskError extends Error {
  override readonly name = "StaleTaskError";
}
