import { z } from "zod";
import { PROPOSAL_STATUSES } from "../../core/nightly/proposal.ts";
import { RUN_STATUSES } from "../../core/task/run.ts";
import { CHECK_PLACES } from "../../core/task/running-check.ts";
import { DOCUMENT_KINDS } from "../../core/task/documents/document.ts";
import { absolutePath, idOrPrefix, limitUpTo, listOf, offset, requiredName, shortText } from "./common.ts";
import { CHANNEL_ROUTES } from "./channel.ts";
import { budgetSchema, costsQuerySchema, costsSchema } from "./costs.ts";
import { agentSchema, findingSchema, healthSchema, parkedAgentSchema, statusSchema, stopSchema } from "./daemon.ts";
import { DECISION_ROUTES } from "./decision.ts";
import { diffSchema } from "./diff.ts";
import { eventSchema } from "./event.ts";
import { keySchema } from "./key.ts";
import { mergeOrderSchema } from "./merge-order.ts";
import { outputPageSchema, searchSchema } from "./output.ts";
import { PIPELINE_ROUTES, taskPipelineSchema } from "./pipeline.ts";
import { PROJECT_SETTINGS_ROUTES } from "./project-settings.ts";
import { pendingTrustSchema, projectSchema, registerSchema } from "./project.ts";
import { QUALITY_ROUTES } from "./quality.ts";
import { reportQuerySchema, reportSchema } from "./report.ts";
import { type Route, route } from "./route.ts";
import { explainedSchema, newRuleSchema, proposalSchema, reasonSchema, ruleChangeSchema, ruleSchema } from "./rule.ts";
import { checkLogSchema, promptSchema, runSchema } from "./run.ts";
import { SESSION_ROUTES } from "./session.ts";
import { improvePreviewSchema, improveSchema, schedulesSchema } from "./schedule.ts";
import { documentSchema, taskDraftSchema, taskSchema } from "./task.ts";
import { TASK_ACTIONS } from "./task-actions.ts";
import { TASK_LIST_ROUTES } from "./task-list.ts";
import { TASK_PREVIEW_ROUTES } from "./task-preview.ts";
import { issuedTokenSchema, newTokenSchema, tokenSchema } from "./token.ts";

const byId = z.strictObject({ id: idOrPrefix });
const byName = z.strictObject({ name: requiredName });

/** Keys are `METHOD /path` under /api/v1. The client parses the keys, so it imports this table only as types. */
export const ROUTES = {
  "POST /tasks": route({
    summary: "Submit a task.",
    right: "submit",
    body: taskDraftSchema,
    status: 201,
    ok: taskSchema,
  }),
  ...TASK_PREVIEW_ROUTES,
  ...TASK_LIST_ROUTES,
  "GET /tasks/:id": route({
    summary: "Get everything known about a task.",
    right: "read",
    params: byId,
    ok: taskSchema,
  }),
  "DELETE /tasks/:id": route({
    summary: "Remove an ended task and its workspace.",
    right: "admin",
    params: byId,
    status: 204,
  }),

  ...TASK_ACTIONS,
  ...DECISION_ROUTES,
  ...PIPELINE_ROUTES,
  ...CHANNEL_ROUTES,
  "GET /tasks/:id/diff": route({
    summary: "Get the change that the task has made so far.",
    right: "read",
    params: byId,
    query: z.strictObject({
      since: z
        .string()
        .regex(/^[0-9a-f]{40,64}$/, "must be a full commit hash")
        .max(64)
        .optional()
        .meta({
          description: "Only what changed after this commit, which a review was about: the `reviewed_commit`.",
        }),
    }),
    ok: diffSchema,
  }),
  "GET /tasks/:id/documents/:kind": route({
    summary: "Get the task's plan, design or investigation report: the newest version, or the one with this number.",
    right: "read",
    params: z.strictObject({ id: idOrPrefix, kind: z.enum(DOCUMENT_KINDS) }),
    query: z.strictObject({ version: offset.optional() }),
    ok: documentSchema,
  }),
  "GET /tasks/:id/pipeline": route({
    summary: "Get the pipeline of a task: the version that it started with, and the limits that apply to it.",
    right: "read",
    params: byId,
    ok: taskPipelineSchema,
  }),
  "GET /tasks/:id/events": route({
    summary: "List the task's events, oldest first.",
    right: "read",
    params: byId,
    query: z.strictObject({ after: offset.default(0), limit: limitUpTo(1000, 500) }),
    ok: z.strictObject({ events: z.array(eventSchema), next: z.int().nullable() }),
  }),

  "GET /runs": route({
    summary: "List the latest runs, oldest first.",
    right: "read",
    query: z.strictObject({
      status: listOf(RUN_STATUSES).optional(),
      project: shortText.optional(),
      task: idOrPrefix.optional(),
      limit: limitUpTo(1000, 200),
    }),
    ok: z.strictObject({ runs: z.array(runSchema) }),
  }),
  "GET /runs/:id": route({ summary: "Get a run.", right: "read", params: byId, ok: runSchema }),
  "GET /runs/:id/checks/:name/log": route({
    summary: "Get the output of a check of a run, the last part first.",
    right: "read",
    params: z.strictObject({ id: idOrPrefix, name: requiredName }),
    query: z.strictObject({
      on: z
        .enum(CHECK_PLACES)
        .default("change")
        .meta({ description: "What the check ran on: the change, or the base commit that it was compared with." }),
      before: offset.optional().meta({ description: "Only what was printed before this byte offset." }),
    }),
    ok: checkLogSchema,
  }),
  "GET /runs/:id/prompt": route({
    summary: "Get the prompt that a run's agent was started with.",
    right: "read",
    params: byId,
    ok: promptSchema,
  }),
  "GET /runs/:id/output": route({
    summary: "Get the parsed output of a run: a live stream until it ends, or one page with `format=json`.",
    right: "read",
    params: byId,
    query: z.strictObject({
      format: z.enum(["stream", "json"]).default("stream"),
      offset: offset.optional(),
      before: offset.optional().meta({
        description: "With `format=json`: the page of lines that end here. A large number gives the last page.",
      }),
      last_event_id: offset.optional(),
      raw: shortText
        .pipe(z.stringbool())
        .default(false)
        .meta({ description: "With `format=json`: include the lines as they were printed." }),
    }),
    ok: outputPageSchema,
    stream: outputPageSchema,
  }),
  "GET /runs/:id/search": route({
    summary: "Find a text or errors in the output of a run. One request searches a part of a large transcript.",
    right: "read",
    params: byId,
    query: z.strictObject({
      q: requiredName.optional().meta({ description: "Upper and lower case are the same." }),
      errors: shortText
        .pipe(z.stringbool())
        .default(false)
        .meta({ description: "Find errors and failed tools. With `q`, only those that contain the text." }),
      offset: offset.default(0),
    }),
    ok: searchSchema,
  }),
  "GET /events": route({
    summary: "Stream events as they are committed, after `Last-Event-ID` or from now on.",
    right: "read",
    query: z.strictObject({ last_event_id: offset.optional(), task: idOrPrefix.optional() }),
    stream: eventSchema,
  }),

  "GET /schedules": route({
    summary: "List the upcoming runs, earliest first.",
    right: "read",
    query: z.strictObject({ project: shortText.optional(), days: limitUpTo(366, 7) }),
    ok: schedulesSchema,
  }),
  "POST /schedules/:name/run": route({
    summary: "Run a schedule's work now. Its next scheduled time does not change.",
    right: "submit",
    params: byName,
    body: z.strictObject({ project: requiredName }),
    status: 201,
    ok: taskSchema,
  }),
  "POST /improve/plan": route({
    summary: "Preview what the nightly improvement would do now. Starts nothing.",
    right: "submit",
    body: improveSchema,
    ok: improvePreviewSchema,
    replay: false,
  }),

  "GET /report": route({
    summary: "Get the report of a night: what ran, what waits for a person, and what it cost. Default: the last night.",
    right: "read",
    query: reportQuerySchema,
    ok: reportSchema,
  }),
  "GET /costs": route({
    summary: "Get the costs of agent runs, including those of deleted tasks. Default: the last 30 days.",
    right: "read",
    query: costsQuerySchema,
    ok: costsSchema,
  }),
  "GET /budgets": route({
    summary: "Get the spent and reserved amounts for the limits of this night and month. Empty if no limit is set.",
    right: "read",
    query: z.strictObject({ project: shortText.optional() }),
    ok: z.strictObject({ budgets: z.array(budgetSchema) }),
  }),
  ...QUALITY_ROUTES,
  "GET /agents": route({
    summary: "List the agents, and whether they can be used.",
    right: "read",
    ok: z.strictObject({ agents: z.array(agentSchema) }),
  }),
  "POST /agents/:name/retry": route({
    summary: "Try a parked agent now. If the first of its runs succeeds, the others follow.",
    right: "submit",
    params: byName,
    ok: z.strictObject({ agents: z.array(parkedAgentSchema) }),
  }),

  "GET /projects": route({
    summary: "List the registered projects.",
    right: "read",
    ok: z.strictObject({ projects: z.array(projectSchema) }),
  }),
  "POST /projects": route({
    summary: "Register a project, and accept the additional permissions that its files request.",
    right: "admin",
    body: registerSchema,
    ok: z.strictObject({ project: projectSchema, pending: pendingTrustSchema }),
  }),
  "GET /projects/:name/trust": route({
    summary: "Get the additional permissions that the project's files request.",
    right: "read",
    params: byName,
    ok: pendingTrustSchema,
  }),
  ...PROJECT_SETTINGS_ROUTES,
  "GET /projects/:name/merge-order": route({
    summary: "Get the order in which to merge the published branches of a project, and which of them conflict.",
    right: "read",
    params: byName,
    ok: z.strictObject({ merge_order: mergeOrderSchema.nullable() }),
  }),
  "POST /projects/:name/checks": route({
    summary:
      "Find settings of the project that cannot work. With `run`, run its checks on the default branch; results are kept.",
    right: "submit",
    params: byName,
    body: z.strictObject({ run: z.boolean().default(true) }),
    ok: z.strictObject({ findings: z.array(findingSchema) }),
    replay: false,
  }),
  "DELETE /projects/:name": route({
    summary: "Remove a project that has no unfinished tasks. With `with_tasks`, delete its tasks first.",
    right: "admin",
    params: byName,
    query: z.strictObject({ with_tasks: shortText.pipe(z.stringbool()).default(false) }),
    status: 204,
  }),
  "POST /projects/:name/forge-hook": route({
    summary: "Webhook of the project's forge, authenticated by its secret. The forge is polled for changes at once.",
    right: null,
    params: byName,
    status: 202,
    replay: false,
  }),

  "GET /rules": route({
    summary: "List the rules that nightly analyses follow. With `expired=true`, include expired rules.",
    right: "read",
    query: z.strictObject({ project: shortText.optional(), expired: shortText.pipe(z.stringbool()).default(false) }),
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
    summary: "Change the text or the expiry of a rule.",
    right: "approve",
    params: byId,
    body: ruleChangeSchema,
    ok: ruleSchema,
  }),
  "DELETE /rules/:id": route({ summary: "Remove a rule.", right: "approve", params: byId, status: 204 }),
  "GET /proposals": route({
    summary: "List the proposals in the ledger, newest first.",
    right: "read",
    query: z.strictObject({
      project: shortText.optional(),
      status: listOf(PROPOSAL_STATUSES).optional(),
      limit: limitUpTo(1000, 100),
    }),
    ok: z.strictObject({ proposals: z.array(proposalSchema) }),
  }),
  "POST /proposals/:id/reason": route({
    summary:
      "Record why a proposal was rejected, and create a rule from it. The id may be the proposal's or the task's.",
    right: "approve",
    params: byId,
    body: reasonSchema,
    ok: explainedSchema,
  }),

  ...SESSION_ROUTES,
  "GET /tokens": route({
    summary: "List the tokens.",
    right: "admin",
    ok: z.strictObject({ tokens: z.array(tokenSchema) }),
  }),
  "POST /tokens": route({
    summary: "Create a token for a person.",
    right: "admin",
    body: newTokenSchema,
    status: 201,
    ok: issuedTokenSchema,
    replay: false,
  }),
  "DELETE /tokens/:name": route({ summary: "Revoke a token.", right: "admin", params: byName, status: 204 }),

  "GET /keys": route({
    summary: "List the keys of model providers, forges and channels that the daemon has, without their values.",
    right: "admin",
    ok: z.strictObject({ keys: z.array(keySchema) }),
  }),

  "POST /daemon/stop": route({
    summary: "Stop the daemon. Runs continue under their supervisors unless forced.",
    right: "admin",
    body: z.strictObject({ force: z.boolean().default(false) }),
    ok: stopSchema,
  }),
  "GET /status": route({ summary: "Get the status of the daemon and its tasks.", right: "read", ok: statusSchema }),
  "GET /doctor": route({
    summary:
      "Check what the daemon sees: programs, agents, names of missing variables, remotes, channels and the project in `path`.",
    right: "admin",
    query: z.strictObject({
      path: absolutePath,
      run: shortText
        .pipe(z.stringbool())
        .default(false)
        .meta({ description: "Run the project's checks on its default branch." }),
    }),
    ok: z.strictObject({ findings: z.array(findingSchema) }),
  }),
  "GET /healthz": route({
    summary: "Health check. Succeeds while the daemon can read its database.",
    right: null,
    ok: healthSchema,
  }),
  "GET /openapi.json": route({
    summary: "Get this API description.",
    right: "read",
    ok: z.record(z.string(), z.unknown()),
  }),
} as const satisfies Record<`${"GET" | "POST" | "DELETE"} /${string}`, Route>;

export type Routes = typeof ROUTES;
export type RouteKey = keyof Routes;
