import { expect, it } from "vitest";
import { needsNote } from "./needs-note.ts";

it.each([
  ["publishing what the checks do not vouch for", "checks", "publish", true],
  ["repairing it", "checks", "repair", true],
  ["rejecting it", "checks", "reject", false],
  ["allowing a finding", "findings", "checking", true],
  ["ending the task because of a finding", "findings", "failed", false],
  ["a fix of an agent", "fix", "checking", false],
  ["an option without a subject", null, "checking", false],
] as const)("%s needs a note only if it lets a change through", (_, about, option, expected) => {
  expect(needsNote({ about, state: "checking" }, option)).toBe(expected);
});
