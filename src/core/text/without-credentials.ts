/**
 * Everything up to the last `@` before the path, as in `https://bob:p@ss@host/`. A quote that ends a value also ends it, so that
 * it stays within one value of a list or a JSON text.
 */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'`<>]|["'`](?![\s,:;)\]}]|$))*@/gi;
const SECRET_PARAMETER =
  /([?&#](?:[\w.-]*[_.-])?(?:token|secret|key|apikey|password|passwd|pwd|auth|sig|signature|credentials?)=)[^\s&#"'`<>]+/gi;

/**
 * Removes user names, passwords and secret query parameters from every URL in a text. Use it wherever a URL leaves the
 * process: in views, messages, logs and prompts.
 */
export function withoutCredentials(text: string): string {
  return text.replace(USER_INFO, "$1").replace(SECRET_PARAMETER, "$1[redacted]");
}

/** For messages that refuse a value, possibly because of its credentials: says that the value had some. */
export function mentionCredentials(text: string): string {
  const shown = withoutCredentials(text);
  return shown === text ? text : `${shown} (it contains credentials, which are not shown)`;
}
