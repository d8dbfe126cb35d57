import type { VirtualItem } from "@tanstack/react-virtual";
import { useEffect } from "react";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { ListRow } from "./rows.ts";

/** Loads the next page of a group while its last row is near the screen. */
export function useLoadMore(
  rows: readonly ListRow[],
  items: readonly VirtualItem[],
  onMore: (status: TaskStatus) => void,
): void {
  // After every render, because the row may still be near the screen when a page was added. A page is loaded only once.
  useEffect(() => {
    for (const { index } of items) {
      const row = rows[index];
      if (row?.kind === "more") onMore(row.group.status);
    }
  });
}
