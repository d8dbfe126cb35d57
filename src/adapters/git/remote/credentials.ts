import type { GitCredentials } from "../../../ports/forge.ts";
import type { GitCall } from "../git.ts";

const USERNAME = "NIGHTSHIFT_GIT_USERNAME";
const PASSWORD = "NIGHTSHIFT_GIT_PASSWORD";
/** Answers nothing but `get`: what git would have it keep or forget is not its to keep. `printf` is the shell's own. */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$${USERNAME}" "$${PASSWORD}"; }; f`;

/**
 * What lets one git call log in: the secret stands in that git's environment alone, and git asks the helper for it only
 * where the server is the remote's own, also after a redirect. The person's helpers are left out: they would be asked
 * first, might open a window, and would be told to keep the token. Nothing for remotes that are not http.
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

/** The secret goes into no message, whoever repeated it. */
export function withoutSecret(text: string, credentials: GitCredentials | null | undefined): string {
  return credentials && credentials.password !== "" ? text.replaceAll(credentials.password, "[token]") : text;
}

/** A line end would begin another answer to git. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, "");
}
