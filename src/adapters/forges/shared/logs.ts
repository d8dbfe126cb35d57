import { ForgeResponseError } from "./responses.ts";

const MAX_LOG = 200_000;

export function endOfLog(log: string): string {
  return log.slice(-MAX_LOG);
}

/** Null if it does not exist, if the token may not read it, or if it is too large. */
export async function nullIfUnreadable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForgeResponseError && error.status < 500 && error.status !== 401) return null;
    throw error;
  }
}
