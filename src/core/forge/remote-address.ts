/** Whether the remote is a URL that people could open or clone, not a local folder. */
export function isAddress(remote: string): boolean {
  return /^(?:https?|ssh|git):\/\//i.test(remote) || /^[^/\\]+@[^/\\:]+:/.test(remote);
}

export function withoutCredentials(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
