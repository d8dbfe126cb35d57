/** Recognizes errors of the file system, git and the store that are caused by a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return /no space left on device|disk quota exceeded|disk\b.* is full/i.test(error.message) || isDiskFull(error.cause);
}
