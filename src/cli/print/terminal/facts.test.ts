import { expect, test } from "vitest";
import type { TaskJson } from "../../../http/client/client.ts";
import { facts } from "../task/task.ts";

const URL = "https://git.example.com/shop/-/merge_requests/1";

/** Returns the lines about the change request and the reason. */
function lines(
  reason: string | null,
  url: string | null = URL,
  change_request: TaskJson["change_request"] = null,
): readonly string[] {
  const artifacts = url === null ? [] : [{ type: "change_request", label: "Say more", url, data: {} }];
  const sums = { runs: [], checks: [], duration_ms: 61_000, cost_usd: 0.5 };
  const none = { category: null, branch: null, base_commit: null, head_commit: null, queued_for: null };
  // These lines do not depend on the other fields of a task.
  const text = facts({ color: false }, {
    ...sums,
    ...none,
    unchecked: [],
    artifacts,
    reason,
    change_request,
  } as unknown as TaskJson);
  return text.split("\n").filter((line) => /request|reason/.test(line));
}

test("facts: a published task shows its URL on its own line and not again in the reason", () => {
  expect(lines(URL)).toEqual([`  change request: ${URL}`]);
  expect(lines(`${URL} (the reviewer alice is unknown)`)).toEqual([
    `  change request: ${URL}`,
    "  reason: the reviewer alice is unknown",
  ]);
});

test("facts: any other reason is printed in full", () => {
  expect(lines("closed by bob")).toEqual([`  change request: ${URL}`, "  reason: closed by bob"]);
  expect(lines(`${URL}2 is open`)).toContain(`  reason: ${URL}2 is open`);
  expect(lines("night-shift/x at 123", null)).toEqual(["  reason: night-shift/x at 123"]);
  expect(lines(null, null)).toEqual([]);
});

test("facts: a merged or closed change request is shown with the time at which it ended", () => {
  const ended = new Date(Date.now() - 3 * 60_000).toISOString();
  const request = (state: "open" | "merged" | "closed"): readonly string[] =>
    lines(null, URL, { number: 1, url: URL, state, head: null, base: null, ended_at: state === "open" ? null : ended });
  expect(request("merged")).toEqual([`  change request: ${URL} (merged 3 min ago)`]);
  expect(request("closed")).toEqual([`  change request: ${URL} (closed 3 min ago)`]);
  expect(request("open")).toEqual([`  change request: ${URL}`]);
});
