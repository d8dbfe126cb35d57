import { RemoteError, UserError } from "../../../core/text/errors.ts";
import type { UserErrorKind } from "../../../core/text/errors.ts";
import type { GitCredentials } from "../../../ports/forge.ts";
import { withoutSecret } from "./credentials.ts";
import { showRemote } from "../names.ts";

interface Explanation {
  readonly when: RegExp;
  readonly kind: UserErrorKind | RemoteError["trouble"];
  readonly say: (remote: string) => string;
  readonly hint: string;
}

const FORBIDDEN = /The requested URL returned error: 403/;

/** What git says about a remote (in English: we set its language), in the order in which to look for it. */
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
      `${remote} shows another host key than before, so ssh does not connect: somebody may stand between.`,
    hint: "Ask who runs the server. If its key was changed, run `ssh-keygen -R <host>`, then `git ls-remote`, as the user that runs Nightshift.",
  },
  {
    when: /Host key verification failed/,
    kind: "credentials",
    say: (remote) =>
      `The host key of ${remote} is not known, so ssh does not connect, and at night nobody is there to compare it.`,
    hint: "Run `git ls-remote` once by hand as the user that runs Nightshift, and compare the fingerprint with the one that the server's owner tells.",
  },
  {
    when: /could not read (Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|HTTP Basic: Access denied/,
    kind: "credentials",
    say: (remote) => `${remote} asks for credentials, and at night nobody is there to type them.`,
    hint: "Give git a credential helper or an SSH key without a passphrase, or start the daemon where SSH_AUTH_SOCK names an agent with the key; `git ls-remote` must work without a question.",
  },
  {
    when: FORBIDDEN,
    kind: "credentials",
    say: (remote) => `${remote} knows who asks and does not let them.`,
    hint: "Check what the account or token may do there; pushing needs the right to write.",
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
    say: (remote) => `${remote} cannot be reached.`,
    hint: "Check the network and the address; `git ls-remote` shows the same error.",
  },
  {
    when: /does not appear to be a git repository|not a git repository|[Rr]epository .*not found|does not exist|invalid gitfile format|not valid: is this a git repository|No such file or directory/,
    kind: "not_found",
    say: (remote) => `${remote} is not a git repository.`,
    hint: "Check the path or URL; `git ls-remote` must work with it.",
  },
  {
    when: /No space left on device|Disk quota exceeded/,
    kind: "unavailable",
    say: (remote) => `There is no space left on the disk for ${remote}.`,
    hint: "Free some space and try again.",
  },
];

function toError({ kind, say, hint }: Explanation, shown: string): UserError {
  if (kind === "credentials" || kind === "unreachable") return new RemoteError(kind, say(shown), hint);
  return new UserError(kind, say(shown), hint);
}

/** The same trouble where the forge's token was given: nobody has to type anything, but the token is no good. */
function ofToken({ kind, when }: Explanation): Partial<Explanation> {
  if (kind !== "credentials" || when === FORBIDDEN) return {};
  return {
    say: (remote) => `${remote} refused the forge's token: it is wrong, expired or revoked.`,
    hint: "Make a new one and put it into the variable that `forge.token_env` names.",
  };
}

/** `credentials`: those that git was given for it. */
export function explainRemoteFailure(remote: string, stderr: string, credentials?: GitCredentials | null): UserError {
  const shown = showRemote(remote);
  const found = EXPLANATIONS.find(({ when }) => when.test(stderr));
  const isTokenUsed = credentials !== null && credentials !== undefined && /^https?:/i.test(remote);
  if (found) return toError(isTokenUsed ? { ...found, ...ofToken(found) } : found, shown);
  const said = withoutSecret(stderr, credentials).trim().replaceAll(remote, shown).slice(-2000);
  return new UserError("unavailable", `git could not work with ${shown}: ${said || "it was stopped"}`);
}
