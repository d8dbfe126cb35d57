import { z } from "zod";
import { PROOFS } from "../task/proof.ts";
import { CHANGING_ROLES, KEEPING_ROLES } from "../task/role.ts";
import { defineOutcome } from "./outcome-entry.ts";
import { defineFailure, names, PUBLISHING } from "./failure-outcomes.ts";

const commit = z.string().optional();
const checks = z.record(z.string(), z.string()).optional();
/** Whether the tests of the change fail without it. Missing if the pipeline does not ask for it. */
const proof = z.enum(PROOFS).optional();
const nothing = z.object({});

/** Outcomes that the engine determines itself. */
export const ENGINE_OUTCOMES = {
  checks_passed: defineOutcome({
    class: "verdict",
    from: { checks: true },
    /** `commit`: the checked commit. */
    payload: z.object({ checks, commit, proof }),
  }),
  checks_failed: defineOutcome({
    class: "verdict",
    from: { checks: true },
    trigger: "errors",
    payload: z.object({ checks, commit, details: z.string().optional() }),
  }),
  /**
   * Nothing shows that the commit is good or bad: no check gave a result, the change alters the checks themselves, or the
   * commit to publish was never checked.
   */
  checks_inconclusive: defineOutcome({
    class: "verdict",
    from: { checks: true, publish: true },
    edge: { do: "decide" },
    trigger: "errors",
    /** `gates`: files of the change that define the checks. */
    payload: z.object({ checks, commit, gates: names, proof, details: z.string().optional() }),
  }),
  /** The checks passed, but the change has no test that fails without it. The agent gets one chance to add it. */
  not_proven: defineOutcome({
    class: "verdict",
    from: { checks: true },
    edge: { do: "decide" },
    trigger: "errors",
    payload: z.object({ checks, commit, proof, details: z.string().optional() }),
  }),
  policy_failed: defineOutcome({
    class: "verdict",
    /** From an agent: its files contain secrets, and no checks step follows. */
    from: { agent: KEEPING_ROLES, checks: true, publish: true },
    edgeIn: {
      agent: { do: "again", max: 1, then: "fail" },
      // The published commit is not the checked one. A retry cannot undo that.
      publish: { do: "fail" },
    },
    trigger: "errors",
    payload: z.object({
      ...PUBLISHING,
      details: z.string().optional(),
      /** Ids of the findings, so that the next check can detect that the agent ignored a warning. */
      reported_findings: names,
      url: z.string().nullish(),
      urls: names,
      /** The commit that was found instead. */
      found: z.string().nullish(),
      state: z.string().optional(),
    }),
  }),
  /** The agent reported success, but there is no result: no changed file, or for `execute` no text. */
  no_changes: defineFailure({
    from: { agent: [...CHANGING_ROLES, "execute"] },
    edge: { do: "fail" },
    isFailedAttempt: true,
    trigger: "retry",
    payload: { claimed: z.string().optional(), summary: z.string().optional() },
  }),
  /** The branch moved while it was reviewed, so the verdict is about a commit that is no longer the task's newest one. */
  outdated_verdict: defineFailure({ from: { agent: ["review"] }, edge: { do: "again", max: 2, then: "person" } }),
  /** The review was given up without a verdict, which is no approval. */
  no_verdict: defineOutcome({ class: "verdict", from: { agent: ["review"] }, edge: { do: "fail" }, payload: nothing }),
  published: defineOutcome({
    class: "success",
    from: { publish: true },
    payload: z.object({
      branch: z.string(),
      commit: z.string(),
      url: z.string().nullable(),
      run: z.string().optional(),
      granted: names,
      /** Why nothing vouches for the change. Missing if it passed the checks. */
      unverified: z.string().optional(),
    }),
  }),
  merged: defineOutcome({ class: "decision", from: { wait: ["merge"] }, payload: nothing }),
  closed: defineOutcome({ class: "decision", from: { wait: ["merge"] }, payload: nothing }),
  /** CI failed for the newest commit of the branch. `details`: the failed jobs with the end of their logs. */
  ci_failed: defineOutcome({
    class: "verdict",
    from: { wait: ["merge"] },
    edge: { do: "person" },
    startsRound: true,
    trigger: "errors",
    payload: z.object({ commit, details: z.string().optional() }),
  }),
  /** People commented on the change request or requested changes. `details`: the comments. */
  comments_received: defineOutcome({
    class: "verdict",
    from: { wait: ["merge"] },
    edge: { do: "person" },
    startsRound: true,
    trigger: "comments",
    payload: z.object({ details: z.string().optional() }),
  }),
  /** People pushed commits to the task's branch. The next agent or checks step takes them over. */
  branch_updated: defineOutcome({
    class: "verdict",
    from: { publish: true, wait: ["merge"] },
    edge: { do: "person" },
    startsRound: true,
    payload: z.object({ commit }),
  }),
  /** The task's branch no longer contains what the task published. `commit`: what it contains instead. */
  branch_rewritten: defineOutcome({
    class: "verdict",
    from: { agent: "any", checks: true },
    edge: { do: "branch" },
    payload: z.object({ commit: z.string() }),
  }),
  conflict: defineFailure({
    from: { agent: "any", checks: true, publish: true, wait: ["merge"] },
    edge: { do: "fail" },
    trigger: "conflict",
    payload: { base: z.string().optional(), proposal: z.string().optional() },
  }),
  /** No agent has started. */
  setup_failed: defineFailure({
    from: { agent: "any", checks: true },
    edge: { do: "fail" },
    countsAsAttempt: false,
    discardsWork: true,
  }),
  /** Too many change requests are open, or the night's budget is spent. */
  night_over: defineFailure({
    from: { agent: "any", publish: true },
    edge: { do: "park", queue: "budget" },
    countsAsAttempt: false,
    /** `open`: the open change requests. */
    payload: { open: names },
  }),
  /** The rest of the night's budget is reserved by active runs. */
  budget_reserved: defineFailure({
    from: { agent: "any", publish: true },
    edge: { do: "park", queue: "budget" },
    countsAsAttempt: false,
  }),
};
