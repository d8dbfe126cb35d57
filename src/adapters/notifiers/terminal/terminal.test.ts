import { expect, test } from "vitest";
import type { NoticeData } from "../../../core/notices/notice.ts";
import type { NoticeKind } from "../../../ports/store.ts";
import { sampleNotice } from "../../../testing/store/samples.ts";
import { createTerminalNotifier } from "./terminal.ts";

async function printed(kind: NoticeKind, data: Partial<NoticeData>): Promise<string> {
  const lines: string[] = [];
  const notice = { ...sampleNotice({ kind, title: "Nightly improvement", text: "…" }), id: 1, attempts: 0 };
  const changed = { ...notice, data: { ...notice.data, ...data } };
  await createTerminalNotifier((line) => lines.push(line)).send(changed, new AbortController().signal);
  return lines.join("");
}

test.each<[NoticeKind, Partial<NoticeData>, string]>([
  ["finished", {}, "done"],
  ["failed", { status: "failed" }, "FAILED"],
  ["waiting", { status: "waiting" }, "waits for you"],
  ["failed", { status: "queued", about: "missed" }, "missed"],
  ["failed", { status: "running", about: "skipped" }, "skipped"],
  ["failed", { status: "failed", about: "refused" }, "FAILED"],
  ["waiting", { status: "succeeded", about: "closed" }, "waits for you"],
  ["finished", { status: "cancelled" }, "cancelled"],
  ["failed", { status: "cancelled" }, "cancelled"],
])("terminal notifier: %s with %j is labeled %s", async (kind, data, label) => {
  expect(await printed(kind, data)).toBe(`${label}: Nightly improvement (task_x) – …\n`);
});
