import { invalidCursor } from "../invalid-cursor.ts";

/** A cursor identifies the last row of a page, so that new tasks do not shift the pages. */
export function parseCursor(cursor: string): { createdAt: number; id: string } {
  const [, createdAt, id] = /^(\d{1,15})\.(\w+)$/.exec(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw invalidCursor();
}
