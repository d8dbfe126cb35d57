import { describe, expect, it } from "vitest";
import { defaultEdge, hasDefaultEdge, needsPerson, possibleOutcomes } from "./edges.ts";
import type { DefaultEdge } from "../outcomes/outcome-entry.ts";
import { FAILURE_OUTCOMES, OUTCOMES, type OutcomeName } from "../outcomes/outcome.ts";
import { WAIT_KINDS, type Step } from "./pipeline.ts";
import { ROLES } from "../task/role.ts";

const implement: Step = { kind: "agent", role: "implement" };

describe("default edges", () => {
  it.each<[OutcomeName, DefaultEdge]>([
    ["usage_limit", { do: "park", queue: "quota" }],
    ["provider_down", { do: "park", queue: "provider" }],
    ["login_expired", { do: "park", queue: "login" }],
    ["agent_missing", { do: "park", queue: "program" }],
    ["disk_full", { do: "park", queue: "capacity" }],
    ["context_too_long", { do: "again", max: 1, then: "person" }],
    ["timeout", { do: "again", max: 1, then: "fail" }],
    ["agent_error", { do: "again", max: 2, then: "fail" }],
    ["invalid_output", { do: "again", max: 1, then: "fail" }],
    ["interrupted", { do: "again", max: 3, then: "fail" }],
    ["refused", { do: "person" }],
    ["budget_exhausted", { do: "person" }],
    ["setup_failed", { do: "fail" }],
    ["sandbox_refused", { do: "fail" }],
    ["publish_refused", { do: "fail" }],
    ["conflict", { do: "fail" }],
    ["night_over", { do: "park", queue: "budget" }],
    ["budget_reserved", { do: "park", queue: "budget" }],
    ["needs_info", { do: "ask", what: "answers" }],
    ["options_proposed", { do: "ask", what: "choice" }],
    ["cancel", { do: "cancel" }],
  ])("%s: %j", (outcome, edge) => {
    expect(defaultEdge(outcome, implement)).toEqual(edge);
  });

  it.each(FAILURE_OUTCOMES)("exist in every running step for %s", (outcome) => {
    const steps: readonly Step[] = [implement, { kind: "checks" }, { kind: "publish" }];
    expect(steps.map((step) => hasDefaultEdge(outcome, step))).toEqual([true, true, true]);
  });

  it("lead to a person after a refusal, an exhausted budget and a second context overflow", () => {
    const edges = FAILURE_OUTCOMES.map((name) => ({ name, edge: defaultEdge(name, { kind: "publish" }) }));
    const decided = edges.filter(({ edge }) => edge !== null && needsPerson(edge));
    expect(decided.map(({ name }) => name)).toEqual(["context_too_long", "refused", "budget_exhausted"]);
  });

  it("end the task if the published commit is not the checked one; before publishing, the pipeline decides", () => {
    expect(defaultEdge("policy_failed", { kind: "publish" })).toEqual({ do: "fail" });
    expect(defaultEdge("policy_failed", { kind: "checks" })).toBeNull();
  });

  it("exist for a person's review at the merge gate only, where pipelines of earlier versions have no target for it", () => {
    expect(defaultEdge("changes_requested", { kind: "wait", for: "merge" })).toEqual({ do: "person" });
    expect(defaultEdge("changes_requested", { kind: "wait", for: "review" })).toBeNull();
    expect(defaultEdge("changes_requested", { kind: "agent", role: "review" })).toBeNull();
  });

  it("do not exist for ordinary outcomes of a step or for outcomes it cannot have", () => {
    expect(defaultEdge("implemented", implement)).toBeNull();
    expect(defaultEdge("no_changes", { kind: "agent", role: "review" })).toBeNull();
    expect(defaultEdge("needs_info", { kind: "checks" })).toBeNull();
    expect(defaultEdge("timeout", { kind: "wait", for: "approval" })).toBeNull();
    expect(defaultEdge("cancel", { kind: "end", status: "failed" })).toBeNull();
  });
});

describe("possibleOutcomes()", () => {
  it.each(ROLES)("%s: has no duplicates and contains cancel", (role) => {
    const possible = possibleOutcomes({ kind: "agent", role });
    expect(new Set(possible).size).toBe(possible.length);
    expect(possible).toContain("cancel");
  });

  it("contains no_changes only for roles whose work is a result", () => {
    const roles = ROLES.filter((role) => possibleOutcomes({ kind: "agent", role }).includes("no_changes"));
    expect(roles).toEqual(["implement", "execute", "request_changes"]);
  });

  it("lets people answer each kind of wait", () => {
    const byKind = Object.fromEntries(WAIT_KINDS.map((kind) => [kind, possibleOutcomes({ kind: "wait", for: kind })]));
    expect(byKind).toEqual({
      approval: ["approve", "reject", "revise", "cancel"],
      answers: ["answered", "cancel"],
      choice: ["chosen", "cancel"],
      review: ["changes_requested", "approve", "reject", "cancel"],
      merge: [
        "changes_requested",
        "merged",
        "closed",
        "ci_failed",
        "comments_received",
        "branch_updated",
        "conflict",
        "reject",
        "cancel",
      ],
    });
  });

  it("covers every outcome except the retry of an ended task", () => {
    const steps: readonly Step[] = [
      ...ROLES.map((role): Step => ({ kind: "agent", role })),
      { kind: "checks" },
      { kind: "publish" },
      { kind: "post" },
      ...WAIT_KINDS.map((kind): Step => ({ kind: "wait", for: kind })),
    ];
    const possible = new Set(steps.flatMap(possibleOutcomes));
    expect(OUTCOMES.filter((outcome) => !possible.has(outcome))).toEqual(["retry"]);
  });
});
