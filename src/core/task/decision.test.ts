import { describe, expect, it } from "vitest";
import { decisionData, readDecision } from "./decision.ts";
import { SYSTEM, type Actor } from "./event.ts";

const ALICE: Actor = { kind: "person", name: "alice", via: "page" };

describe("a recorded decision", () => {
  it("says what a person decided, about which document and how it was sent", () => {
    const data = decisionData("approve", ALICE, { plan_hash: "h1" });
    expect(readDecision({ actor: ALICE, summary: "approve: approved by alice", data })).toEqual({
      kind: "approved",
      summary: "approved by alice",
      planHash: "h1",
      via: "page",
    });
  });

  it("tells answers that the system assumed at a deadline from those of a person", () => {
    const given = { summary: "answered: db: postgres", data: decisionData("answered", SYSTEM) };
    expect(readDecision({ actor: SYSTEM, ...given })).toMatchObject({ kind: "assumed", via: null, planHash: null });
    expect(readDecision({ actor: ALICE, ...given }).kind).toBe("answered");
  });

  it("keeps a colon that belongs to the text, and a kind that is not known", () => {
    const data = { decision: "escalate", via: "pigeon" };
    expect(readDecision({ actor: ALICE, summary: "escalate: note: see 4", data })).toEqual({
      kind: "escalate",
      summary: "note: see 4",
      planHash: null,
      via: null,
    });
  });
});
