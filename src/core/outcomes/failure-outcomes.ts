import { z } from "zod";
import { defineOutcome, type OutcomeEntry } from "./outcome-entry.ts";

export const names = z.array(z.string()).readonly().optional();

/** Any failure can end a publishing run. These fields record what it was to publish and which tokens it had. */
export const PUBLISHING = { branch: z.string().optional(), commit: z.string().optional(), granted: names };

type FailureDefinition<Fields extends z.ZodRawShape> = Pick<OutcomeEntry, "from"> &
  Partial<Omit<OutcomeEntry, "payload">> & { readonly payload?: Fields };

export function defineFailure<Fields extends z.ZodRawShape = typeof PUBLISHING>({
  payload,
  ...definition
}: FailureDefinition<Fields>) {
  // Without its own fields, a failure has only the shared ones, which are the type's default.
  const own = payload ?? (PUBLISHING as z.ZodRawShape as Fields);
  return defineOutcome({ ...definition, class: "failure", payload: z.object({ ...PUBLISHING, ...own }) });
}

/** How often a lost supervisor does not count as an attempt. The next loss counts as an agent error. */
export const FREE_INTERRUPTIONS = 3;

const ANY_RUN = { agent: "any", checks: true, publish: true } as const;

/** Set if the forge or the git remote has the problem. Then it is not the agent's, so the agent is not parked. */
const service = z.enum(["forge", "remote"]).optional();

/** Failures that can end a run of any step. */
export const FAILURES = {
  usage_limit: defineFailure({ from: ANY_RUN, edge: { do: "park", queue: "quota" }, countsAsAttempt: false }),
  provider_down: defineFailure({
    from: ANY_RUN,
    edge: { do: "park", queue: "provider" },
    countsAsAttempt: false,
    /** Set if it is not the model provider that is down; see `MachineTrouble`. */
    payload: { waits_for: z.enum(["remote", "machine"]).optional(), service },
  }),
  login_expired: defineFailure({
    from: ANY_RUN,
    edge: { do: "park", queue: "login" },
    countsAsAttempt: false,
    payload: { service },
  }),
  agent_missing: defineFailure({
    from: ANY_RUN,
    edge: { do: "park", queue: "program" },
    countsAsAttempt: false,
    discardsWork: true,
  }),
  context_too_long: defineFailure({
    from: ANY_RUN,
    isFailedAttempt: true,
    edge: { do: "again", max: 1, then: "person" },
  }),
  refused: defineFailure({
    from: ANY_RUN,
    isFailedAttempt: true,
    edge: { do: "person" },
    discardsWork: true,
    trigger: "retry",
    /** `reported_findings`: ids of the findings that the agent kept after a warning. A person decides about them. */
    payload: { reported_findings: names },
  }),
  timeout: defineFailure({
    from: ANY_RUN,
    isFailedAttempt: true,
    edge: { do: "again", max: 1, then: "fail" },
    trigger: "retry",
    /**
     * `final`: the time of the whole task is used up, so no further run could do anything. `stuck`: the run was ended because
     * it made no progress; the summary says what was observed.
     */
    payload: { final: z.boolean().optional(), stuck: z.boolean().optional() },
  }),
  budget_exhausted: defineFailure({ from: ANY_RUN, edge: { do: "person" } }),
  disk_full: defineFailure({ from: ANY_RUN, edge: { do: "park", queue: "capacity" }, countsAsAttempt: false }),
  agent_error: defineFailure({
    from: ANY_RUN,
    isFailedAttempt: true,
    edge: { do: "again", max: 2, then: "fail" },
    discardsWork: true,
    trigger: "retry",
    /** `claimed`: URL of a change request that does not exist. */
    payload: { claimed: z.string().optional() },
  }),
  invalid_output: defineFailure({
    from: ANY_RUN,
    isFailedAttempt: true,
    edge: { do: "again", max: 1, then: "fail" },
    trigger: "report",
  }),
  /** A rule of the remote or the forge declines the change. The work is kept, and a retry publishes it. */
  publish_refused: defineFailure({ from: ANY_RUN, edge: { do: "fail" } }),
  sandbox_refused: defineFailure({ from: ANY_RUN, edge: { do: "fail" }, discardsWork: true }),
  interrupted: defineFailure({
    from: ANY_RUN,
    edge: { do: "again", max: FREE_INTERRUPTIONS, then: "fail" },
    countsAsAttempt: false,
  }),
};
