import { expect, it } from "vitest";
import type { PreviewStep } from "./form.ts";
import { describeStep } from "./step-words.ts";

const step = (more: Partial<PreviewStep>): PreviewStep => ({
  state: "implementing",
  kind: "agent",
  role: "implement",
  waits_for: null,
  agents: [{ agent: "codex", model: null }],
  timeout_ms: null,
  max_turns: null,
  max_usd: null,
  limits: [],
  checks: [],
  is_last: false,
  ...more,
});

it("a step of an agent says who, what and the limits", () => {
  expect(describeStep(step({ timeout_ms: 600_000, max_usd: 2 }), null)).toBe(
    "codex writes the change, in a workspace, at most 10 min, $2.00",
  );
  const two = [
    { agent: "codex", model: null },
    { agent: "claude-code", model: "opus" },
  ];
  expect(describeStep(step({ agents: two, timeout_ms: 600_000 }), null)).toBe(
    "codex, claude-code (opus) writes the change, in a workspace, each at most 10 min",
  );
});

it("checks are named with the number of repairs", () => {
  const checks = step({ kind: "checks", role: null, agents: [], checks: ["lint", "test"] });
  expect(describeStep({ ...checks, limits: [{ name: "repair", max: 3 }] }, null)).toBe("lint, test; up to 3 repairs");
  expect(describeStep({ ...checks, checks: [], is_last: true }, null)).toBe(
    "no checks are configured; the task stops here",
  );
});

it("publishing names the forge", () => {
  const publish = step({ kind: "publish", role: null, agents: [] });
  expect(describeStep(publish, "https://gitlab.example.com/team")).toBe("change request at gitlab.example.com");
  expect(describeStep(publish, null)).toBe("the branch is pushed");
});
