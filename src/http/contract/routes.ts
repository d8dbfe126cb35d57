import { z } from "zod";
import { PROPOSAL_STATUSES } from "../../core/nightly/proposal.ts";
import { RUN_STATUSES } from "../../core/task/run.ts";
import { TASK_STATUSES } from "../../core/task/task.ts";
import { idOrPrefix, limitUpTo, listOf, offset } from "./common.ts";
import { budgetSchema, costsQuerySchema, costsSchema } from "./costs.ts";
import { agentSchema, healthSchema, statusSchema, stopSchema } from "./daemon.ts";
import { eventSchema } from "./event.ts";
import { outputPageSchema } from "./output.ts";
import { pendingTrustSchema, projectSchema, registerSchema } from "./project.ts";
import { type Route, route } from "./route.ts";
import { explainedSchema, newRuleSchema, proposalSchema, reasonSchema, ruleChangeSchema, ruleSchema } from "./rule.ts";
import { runSchema } from "./run.ts";
import { foreseenSchema, improveSchema, schedulesSchema } from "./schedule.ts";
import { diffSchema, taskDraftSchema, taskSchema } from "./task.ts";
import { issuedTokenSchema, newTokenSchema, tokenSchema } from "./token.ts";

const byId = z.strictObject({ id: idOrPrefix });
const byName = z.strictObject({ name: z.string().min(1) });

/** What a person does to a task: same address, same answer, another word and body. */
function act<const R extends "submit" | "approve", B extends z.ZodType | null>(right: R, summary: string, body: B) {
  return route({ summary, right, params: byId, body, ok: taskSchema });
}

/** Keys are `METHOD /path` under /api/v1; the client parses them, so it needs this table as types only. */
export const ROUTES = {
  "POST /tasks": route({
    summary: "Submit a task.",
    right: "submit",
    body: taskDraftSchema,
    status: 201,
    ok: taskSchema,
  }),
  "GET /tasks": route({
    summary: "List tasks, newest first, without their runs, checks and artifacts.",
    right: "read",
    query: z.strictObject({
      status: listOf(TASK_STATUSES).optional(),
      state: z.string().optional(),
      project: z.string().optional(),
      cursor: z.string().optional(),
      limit: limitUpTo(1000, 100),
    }),
    ok: z.strictObject({ tasks: z.array(taskSchema), next: z.string().nullable() }),
  }),
  "GET /tasks/:id": route({ summary: "Everything known about a task.", right: "read", params: byId, ok: taskSchema }),
  "DELETE /tasks/:id": route({
    summary: "Remove an ended task and its workspace.",
    right: "admin",
    params: byId,
    status: 204,
  }),

  "POST /tasks/:id/approve": act(
    "approve",
    "Approve the plan with this hash.",
    z.strictObject({ plan_hash: z.string().nullable().default(null) }),
  ),
  "POST /tasks/:id/reject": act(
    "approve",
    "Reject what waits.",
    z.strictObject({ reason: z.string().nullable().default(null) }),
  ),
  "POST /tasks/:id/revise": act(
    "approve",
    "Send the plan back with feedback.",
    z.strictObject({ feedback: z.string().min(1) }),
  ),
  "POST /tasks/:id/answer": act(
    "approve",
    "Answer the agent's questions, by question id.",
    z.strictObject({ answers: z.record(z.string(), z.string()) }),
  ),
  "POST /tasks/:id/choose": act(
    "approve",
    "Choose one of the proposed options.",
    z.strictObject({ option: z.string().min(1), note: z.string().nullable().default(null) }),
  ),
  "POST /tasks/:id/pause": act("submit", "Stop the task's process tree where it is.", null),
  "POST /tasks/:id/resume": act("submit", "Let a paused task go on.", null),
  "POST /tasks/:id/cancel": act("submit", "End the task: politely, then the tree.", null),
  "POST /tasks/:id/kill": act("submit", "End the task's process tree now.", null),
  "POST /tasks/:id/retry": act(
    "submit",
    "Try again from the state that failed, or from another.",
    z.strictObject({ from: z.string().min(1).nullable().default(null) }),
  ),

  "GET /tasks/:id/diff": route({
    summary: "The change the task made so far.",
    right: "read",
    params: byId,
    ok: diffSchema,
  }),
  "GET /tasks/:id/events": route({
    summary: "The task's events, oldest first.",
    right: "read",
    params: byId,
    query: z.strictObject({ after: offset.default(0), limit: limitUpTo(1000, 500) }),
    ok: z.strictObject({ events: z.array(eventSchema), next: z.int().nullable() }),
  }),

  "GET /runs": route({
    summary: "List the newest runs, oldest first.",
    right: "read",
    query: z.strictObject({
      status: listOf(RUN_STATUSES).optional(),
      project: z.string().optional(),
      task: idOrPrefix.optional(),
      limit: limitUpTo(1000, 200),
    }),
    ok: z.strictObject({ runs: z.array(runSchema) }),
  }),
  "GET /runs/:id": route({ summary: "One run.", right: "read", params: byId, ok: runSchema }),
  "GET /runs/:id/output": route({
    summary: "What the run printed, parsed: live until it ends, or one page with `format=json`.",
    right: "read",
    params: byId,
    query: z.strictObject({
      format: z.enum(["stream", "json"]).default("stream"),
      offset: offset.optional(),
      last_event_id: offset.optional(),
    }),
    ok: outputPageSchema,
    stream: outputPageSchema,
  }),
  "GET /events": route({
    summary: "Events as they are committed; from `Last-Event-ID` on, else from now.",
    right: "read",
    query: z.strictObject({ last_event_id: offset.optional(), task: idOrPrefix.optional() }),
    stream: eventSchema,
  }),

  "GET /schedules": route({
    summary: "What will run when, soonest first.",
    right: "read",
    query: z.strictObject({ project: z.string().optional(), days: limitUpTo(366, 7) }),
    ok: schedulesSchema,
  }),
  "POST /schedules/:name/run": route({
    summary: "Do a schedule's work now; its own times stay as they are.",
    right: "submit",
    params: byName,
    body: z.strictObject({ project: z.string().min(1) }),
    status: 201,
    ok: taskSchema,
  }),
  "POST /improve/plan": route({
    summary: "What the nightly improvement would do now, without doing any of it.",
    right: "submit",
    body: improveSchema,
    ok: foreseenSchema,
    replay: false,
  }),

  "GET /costs": route({
    summary: "What agents' runs cost, also those of deleted tasks; the last 30 days unless told.",
    right: "read",
    query: costsQuerySchema,
    ok: costsSchema,
  }),
  "GET /budgets": route({
    summary: "What is spent and reserved of this night's and this month's limits; none where none is set.",
    right: "read",
    query: z.strictObject({ project: z.string().optional() }),
    ok: z.strictObject({ budgets: z.array(budgetSchema) }),
  }),
  "GET /agents": route({
    summary: "What is installed, and whether it can be used.",
    right: "read",
    ok: z.strictObject({ agents: z.array(agentSchema) }),
  }),

  "GET /projects": route({
    summary: "The registered projects.",
    right: "read",
    ok: z.strictObject({ projects: z.array(projectSchema) }),
  }),
  "POST /projects": route({
    summary: "Register a project; accept what its files widen.",
    right: "admin",
    body: registerSchema,
    ok: z.strictObject({ project: projectSchema, pending: pendingTrustSchema }),
  }),
  "GET /projects/:name/trust": route({
    summary: "What the project's files would widen.",
    right: "read",
    params: byName,
    ok: pendingTrustSchema,
  }),
  "DELETE /projects/:name": route({
    summary: "Forget a project without unfinished tasks.",
    right: "admin",
    params: byName,
    status: 204,
  }),
  "POST /projects/:name/forge-hook": route({
    summary: "The webhook of the project's forge, known by its secret: the forge is asked at once what is new.",
    right: null,
    params: byName,
    status: 202,
    replay: false,
  }),

  "GET /rules": route({
    summary: "What people want analyses to keep in mind; the expired ones too with `expired=true`.",
    right: "read",
    query: z.strictObject({ project: z.string().optional(), expired: z.stringbool().default(false) }),
    ok: z.strictObject({ rules: z.array(ruleSchema) }),
  }),
  "POST /rules": route({
    summary: "Add a rule to a project.",
    right: "approve",
    body: newRuleSchema,
    status: 201,
    ok: ruleSchema,
  }),
  "POST /rules/:id": route({
    summary: "Change the words of a rule, or when it ends.",
    right: "approve",
    params: byId,
    body: ruleChangeSchema,
    ok: ruleSchema,
  }),
  "DELETE /rules/:id": route({ summary: "Remove a rule.", right: "approve", params: byId, status: 204 }),
  "GET /proposals": route({
    summary: "The ledger of what was proposed, newest first.",
    right: "read",
    query: z.strictObject({
      project: z.string().optional(),
      status: listOf(PROPOSAL_STATUSES).optional(),
      limit: limitUpTo(1000, 100),
    }),
    ok: z.strictObject({ proposals: z.array(proposalSchema) }),
  }),
  "POST /proposals/:id/reason": route({
    summary: "Say why it is not wanted; a rule is made of it. The id may be the task's.",
    right: "approve",
    params: byId,
    body: reasonSchema,
    ok: explainedSchema,
  }),

  "GET /tokens": route({
    summary: "Tokens by name.",
    right: "admin",
    ok: z.strictObject({ tokens: z.array(tokenSchema) }),
  }),
  "POST /tokens": route({
    summary: "Make a token for a person.",
    right: "admin",
    body: newTokenSchema,
    status: 201,
    ok: issuedTokenSchema,
    replay: false,
  }),
  "DELETE /tokens/:name": route({ summary: "Take a token back.", right: "admin", params: byName, status: 204 }),

  "POST /daemon/stop": route({
    summary: "Stop the daemon; runs go on under their supervisors unless forced.",
    right: "admin",
    body: z.strictObject({ force: z.boolean().default(false) }),
    ok: stopSchema,
  }),
  "GET /status": route({ summary: "The daemon and its work in numbers.", right: "read", ok: statusSchema }),
  "GET /healthz": route({ summary: "Answers while the daemon can read its database.", right: null, ok: healthSchema }),
  "GET /openapi.json": route({ summary: "This description.", right: "read", ok: z.record(z.string(), z.unknown()) }),
} as const satisfies Record<`${"GET" | "POST" | "DELETE"} /${string}`, Route>;

export type Routes = typeof ROUTES;
export type RouteKey = keyof Routes;
