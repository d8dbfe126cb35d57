import { expect, it } from "vitest";
import { describeNotifications } from "./notifications.ts";

it("notifications: each line says whether it was sent, and why not", () => {
  const base = { channel: "ntfy", kind: "waiting", at: "2026-11-15T00:00:00.000Z", sent_at: null, reason: null };
  const lines = describeNotifications({
    notifications: [
      { ...base, status: "sent", sent_at: "2026-11-15T00:00:01.000Z" },
      { ...base, status: "not_sent", reason: "no such topic" },
      { ...base, channel: "slack", status: "pending", reason: "no \u001b[2Jroute" },
    ],
  }).split("\n");
  expect(lines[0]).toMatch(/ntfy \(waiting\) sent$/);
  expect(lines[1]).toMatch(/ntfy \(waiting\) not sent: no such topic$/);
  expect(lines[2]).toMatch(/slack \(waiting\) not sent yet: no.*route$/);
  expect(lines[2]).not.toContain("\u001b");
});
