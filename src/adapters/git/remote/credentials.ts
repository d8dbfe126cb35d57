import type { GitCredentials } from "../../../ports/forge.ts";
import type { GitCall } from "../git.ts";

const USERNAME = "NIGHTSHIFT_GIT_USERNAME";
const PASSWORD = "NIGHTSHIFT_GIT_PASSWORD";
/** Answers only `get`; it never stores or erases credentials. `printf` is a shell builtin. */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${USERNAME}" "$${PASSWORD}"; }; f`;

/**
 * Settings and environment that let one git call log in. The secret is only in that process's environment, and git asks the
 * helper only for the remote's own host, even after a redirect. The user's credential helpers are disabled: git would ask
 * them first, they might open a window, and they would store the token. Empty for remotes that are not http.
 */
export function credentialsCall(
  remote: string,
  credentials: GitCredentials | null | undefined,
  env: Readonly<Record<string, string>>,
): Pick<GitCall, "env" | "settings"> {
  const url = /^https?:\/\//i.test(remote) ? URL.parse(remote) : null;
  if (!credentials || url === null) return { env };
  return {
    env: { ...env, [USERNAME]: oneLine(credentials.username), [PASSWORD]: oneLine(credentials.password) },
    settings: ["credential.helper=", `credential.${url.origin}.helper=${HELPER}`, "credential.interactive=false"],
  };
}

/** Removes the secret from text that git printed. */
export function redactPassword(text: string, credentials: GitCredentials | null | undefined): string {
  return credentials && credentials.password !== "" ? text.replaceAll(credentials.password, "[token]") : text;
}

/** A newline would start another field in the answer to git. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, "");
}
