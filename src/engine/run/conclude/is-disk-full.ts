/** Whether an error of the file system, of git or of the store comes of a disk without room. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return true;
  return /no space left on device|disk quota exceeded|disk\b.* is full/i.test(error.message) || isDiskFull(error.cause);
}
