import { describe, expect, it } from "vitest";
import { outcomeOf, type Outcome } from "../outcomes/outcome.ts";
import { describeParked } from "./describe-parked.ts";
import { decideParking, parkKindOf, type AgentEvidence, type ParkedAgent } from "./parked-agent.ts";

const MINUTE = 60_000;
const AT = 1_000_000;
const DOWN = outcomeOf("provider_down", "No route to host.");
const LOGIN = outcomeOf("login_expired", "The key was rejected.");

function evidence(outcome: Outcome, over: Partial<AgentEvidence> = {}): AgentEvidence {
  return {
    run: "run_a",
    account: "codex",
    agent: "codex",
    outcome,
    hasRun: true,
    outputTokens: 0,
    at: AT,
    ...over,
  };
}

function parked(outcome: Outcome = DOWN): ParkedAgent {
  const found = decideParking(null, evidence(outcome));
  if (found === null) throw new Error("it is not parked");
  return { ...found, probe: "run_probe" };
}

const limit = (retryAt: number | null): Outcome => ({ ...outcomeOf("usage_limit", "Used up."), retryAt });

const untilFor = (retryAt: number | null) => decideParking(null, evidence(limit(retryAt)))?.until;

describe("parkKindOf", () => {
  it.each([
    [outcomeOf("usage_limit", ""), "quota"],
    [LOGIN, "login"],
    [outcomeOf("agent_missing", ""), "program"],
    [DOWN, "provider"],
    [outcomeOf("provider_down", "", { waits_for: "remote" }), null],
    [outcomeOf("provider_down", "", { waits_for: "machine" }), null],
    [outcomeOf("provider_down", "", { service: "forge" }), null],
    [outcomeOf("login_expired", "", { service: "remote" }), null],
    [outcomeOf("disk_full", ""), null],
    [outcomeOf("agent_error", ""), null],
    [outcomeOf("timeout", ""), null],
  ] as const)("$0.name with $0.payload: $1", (outcome, kind) => {
    expect(parkKindOf(outcome)).toBe(kind);
  });
});

describe("decideParking", () => {
  it("parks an agent once: a second run that started before finds it parked", () => {
    const first = decideParking(null, evidence(LOGIN));
    expect(first).toEqual({
      account: "codex",
      agent: "codex",
      kind: "login",
      reason: "The key was rejected.",
      since: AT,
      tries: 1,
      until: AT + 30 * MINUTE,
      probe: null,
    });
    expect(decideParking(first, evidence(LOGIN, { run: "run_b", at: AT + 5 }))).toBe(first);
    expect(decideParking(first, evidence(DOWN, { run: "run_c", at: AT + 5 }))).toBe(first);
  });

  it("probes a dead provider after 1, 2, 4 … 30 minutes", () => {
    let current: ParkedAgent | null = null;
    const delays: number[] = [];
    for (let at = AT, tries = 0; tries < 7; tries += 1) {
      current = decideParking(current, evidence(DOWN, { at }));
      if (current === null) throw new Error("it is not parked");
      delays.push((current.until - at) / MINUTE);
      expect(current).toMatchObject({ since: AT, tries: tries + 1 });
      at = current.until;
      current = { ...current, probe: "run_a" };
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it("probes a used-up quota at its reset, and with a delay if the reset is unknown or over", () => {
    expect(untilFor(AT + 3 * 3_600_000)).toBe(AT + 3 * 3_600_000);
    expect(untilFor(null)).toBe(AT + MINUTE);
    expect(untilFor(AT - 1)).toBe(AT + MINUTE);
  });

  it("counts a new problem from the start", () => {
    const before = { ...parked(), tries: 5 };
    expect(decideParking(before, evidence(LOGIN, { run: "run_probe", at: AT + 9 }))).toMatchObject({
      kind: "login",
      tries: 1,
      since: AT + 9,
    });
  });

  it.each([
    [outcomeOf("implemented", "", { summary: "" }), {}],
    [outcomeOf("no_changes", ""), {}],
    [outcomeOf("agent_error", ""), { outputTokens: 1 }],
    [outcomeOf("timeout", ""), { outputTokens: 1 }],
  ])("a probe that ends as $0.name $1 unparks the agent, another run does not", (outcome, over) => {
    const before = parked();
    expect(decideParking(before, evidence(outcome, { run: "run_probe", ...over }))).toBeNull();
    expect(decideParking(before, evidence(outcome, over))).toBe(before);
  });

  it.each([
    [outcomeOf("cancel", ""), {}],
    [outcomeOf("interrupted", ""), {}],
    [outcomeOf("setup_failed", ""), {}],
    [outcomeOf("agent_error", ""), {}],
    [outcomeOf("provider_down", "", { waits_for: "remote" }), {}],
    [outcomeOf("no_improvement", "", { reason: "", files_scanned: 0 }), { hasRun: false }],
  ])("a probe that ends as $0.name $1 says nothing about the agent", (outcome, over) => {
    const before = parked();
    expect(decideParking(before, evidence(outcome, { run: "run_probe", ...over }))).toBe(before);
  });
});

it("describeParked: names the agent, what it needs and what it said", () => {
  expect(describeParked(parked(LOGIN))).toBe("codex needs a login: The key was rejected.");
  expect(describeParked({ agent: "codex", kind: "program", reason: "codex is not on the daemon's PATH." })).toBe(
    "codex cannot be started: codex is not on the daemon's PATH.",
  );
});
