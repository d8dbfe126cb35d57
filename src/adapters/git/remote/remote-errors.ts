import { MachineError, RemoteError, UserError } from "../../../core/text/errors.ts";
import type { UserErrorKind } from "../../../core/text/errors.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { redactPassword } from "./credentials.ts";
import { withoutCredentials } from "../../../core/text/without-credentials.ts";

interface Explanation {
  readonly when: RegExp;
  readonly kind: UserErrorKind | Exclude<RemoteError["trouble"], "refused"> | "machine";
  readonly say: (remote: string) => string;
  readonly hint: string;
}

const FORBIDDEN = /The requested URL returned error: 403/;

/** Error messages of git (always in English, because we set its language), in the order to match them. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    when: /dubious ownership/,
    kind: "forbidden",
    say: (remote) => `${remote} belongs to another user, so git refuses to read it.`,
    hint: "If you trust it, run `git config --global --add safe.directory <its path>` as the user that runs Nightshift.",
  },
  {
    when: /HOST IDENTIFICATION HAS CHANGED/,
    kind: "credentials",
    say: (remote) =>
      `${remote} has a different host key than before, so ssh refused to connect. The connection may be intercepted.`,
    hint: "Ask the server's administrator. If the key was changed on purpose, run `ssh-keygen -R <host>`, then `git ls-remote`, as the user that runs Nightshift.",
  },
  {
    when: /Host key verification failed/,
    kind: "credentials",
    say: (remote) => `The host key of ${remote} is unknown, so ssh refused to connect.`,
    hint: "Run `git ls-remote` once by hand as the user that runs Nightshift, and compare the fingerprint with the one published by the server's administrator.",
  },
  {
    when: /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|HTTP Basic: Access denied/,
    kind: "credentials",
    say: (remote) => `${remote} asks for credentials, but Nightshift cannot answer prompts.`,
    hint: "Configure a git credential helper or an SSH key without a passphrase, or start the daemon with SSH_AUTH_SOCK set to an agent that holds the key. `git ls-remote` must work without a prompt.",
  },
  {
    when: FORBIDDEN,
    kind: "credentials",
    say: (remote) => `${remote} denied access to this account.`,
    hint: "Check the permissions of the account or token. Pushing needs write access.",
  },
  {
    when: /transport '.*' not allowed|is not a valid remote name|Unable to find remote helper/,
    kind: "invalid",
    say: (remote) => `${remote} uses a transport that Nightshift does not allow.`,
    hint: "Use an https, ssh or git URL, or a path.",
  },
  {
    when: /mismatched algorithms|unknown repository extension|unsupported.*object.?format/i,
    kind: "invalid",
    say: (remote) => `${remote} stores its objects as SHA-256, which Nightshift cannot read yet.`,
    hint: "Use a repository with the SHA-1 object format.",
  },
  {
    when: /Could not resolve host|Connection (refused|timed out|reset)|Network is unreachable|Operation timed out|No route to host|Failed to connect|Operation too slow|kex_exchange_identification|Connection closed by|The requested URL returned error: 5/i,
    kind: "unreachable",
    say: (remote) => `The remote ${remote} cannot be reached.`,
    hint: "Check the network and the address; `git ls-remote` shows the same error.",
  },
  {
    when: /does not appear to be a git repository|not a git repository|[Rr]epository .*not found|does not exist|invalid gitfile format|not valid: is this a git repository|No such file or directory/,
    kind: "missing",
    say: (remote) => `The remote ${remote} cannot be reached: it is not a git repository.`,
    hint: "Check the path or URL; `git ls-remote` must work with it.",
  },
  {
    when: /No space left on device|Disk quota exceeded/,
    kind: "machine",
    say: (remote) => `The disk is full, so ${remote} could not be used.`,
    hint: "Free some space and try again.",
  },
];

/** The connection failed or broke in a way that has no explanation of its own. */
const LOST_CONNECTION =
  /unable to access|Could not read from remote repository|early EOF|hung up unexpectedly|RPC failed|unexpected disconnect/i;

function toError({ kind, say, hint }: Explanation, shown: string): UserError {
  if (kind === "machine") return new MachineError(say(shown), hint);
  if (kind === "credentials" || kind === "unreachable" || kind === "missing")
    return new RemoteError(kind, say(shown), hint);
  return new UserError(kind, say(shown), hint);
}

/** The same failure when the forge's token was used: the token is invalid, and no prompt is involved. */
function explainTokenFailure({ kind, when }: Explanation): Partial<Explanation> {
  if (kind !== "credentials" || when === FORBIDDEN) return {};
  return {
    say: (remote) => `${remote} refused the forge's token: it is wrong, expired or revoked.`,
    hint: "Create a new token and set it in the variable named by `forge.token_env`.",
  };
}

/** `credentials` are the ones that git used. */
export function explainRemoteFailure(remote: string, stderr: string, credentials?: GitCredentials | null): UserError {
  const shown = withoutCredentials(remote);
  const found = EXPLANATIONS.find(({ when }) => when.test(stderr));
  const isTokenUsed = credentials !== null && credentials !== undefined && /^https?:/i.test(remote);
  if (found) return toError(isTokenUsed ? { ...found, ...explainTokenFailure(found) } : found, shown);
  const said = withoutCredentials(redactPassword(stderr, credentials)).trim().slice(-2000);
  if (said === "" || LOST_CONNECTION.test(said))
    return new RemoteError("unreachable", `The remote ${shown} cannot be reached: ${said || "git was stopped"}`);
  return new UserError("unavailable", `git could not work with ${shown}: ${said}`);
}
