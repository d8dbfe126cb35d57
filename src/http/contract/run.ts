import { z } from "zod";
import { CHECK_STATUSES, ENDED_BY, RUN_STATUSES } from "../../core/task/run.ts";
import { ROLES } from "../../core/task/role.ts";
import { CHECK_PLACES } from "../../core/task/running-check.ts";
import { freeObject, time, tokensSchema } from "./common.ts";

export const runSchema = z
  .strictObject({
    id: z.string(),
    short_id: z.string().meta({ description: "A prefix of the id that no other run has." }),
    task: z.string(),
    project: z.string(),
    state: z.string(),
    step: z.enum(["agent", "checks", "publish", "post"]),
    role: z.enum(ROLES).nullable(),
    agent: z.string().nullable(),
    agent_version: z.string().nullable(),
    model: z.string().nullable(),
    status: z.enum(RUN_STATUSES),
    outcome: z.string().nullable(),
    payload: freeObject.nullable(),
    attempt: z.int(),
    exit: z.strictObject({ code: z.int().nullable(), signal: z.string().nullable() }).nullable(),
    ended_by: z.enum(ENDED_BY).nullable(),
    pid: z.int().nullable().meta({ description: "Leader of the process tree, while a command runs. Null in lists." }),
    denials: z
      .array(z.strictObject({ kind: z.string(), target: z.string(), sentence: z.string(), count: z.int() }))
      .meta({ description: "What the sandbox denied, how often, and what would allow it." }),
    limits: z
      .strictObject({
        timeout_ms: z.int(),
        max_turns: z.int().nullable(),
        budget_usd: z.number().nullable(),
      })
      .nullable()
      .meta({ description: "What the agent was limited to when it started. Null if it did not start, and in lists." }),
    grants: z
      .strictObject({
        tools: z.array(z.string()).meta({ description: "Empty: those that the agent has by itself." }),
        commands: z.array(z.string()).nullable().meta({ description: "Null: all programs of the system." }),
        directories: z
          .array(z.strictObject({ path: z.string(), access: z.enum(["read", "write"]) }))
          .meta({ description: "Without the run's own directories for its home, temporary files and report." }),
        network: z.array(z.string()),
        secrets: z.array(z.string()).meta({ description: "Names only." }),
        mcp: z.array(z.string()),
        sandbox: z.string(),
      })
      .nullable()
      .meta({ description: "What the agent was granted when it started. Null if it did not start, and in lists." }),
    session_id: z.string().nullable(),
    sandbox: z.string().nullable(),
    commit: z.string().nullable(),
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    duration_ms: z.int().nullable(),
    cost_usd: z.number().nullable(),
    cost_basis: z.enum(["reported", "metered", "computed", "unknown"]),
    tokens: tokensSchema,
    error: z.string().nullable(),
  })
  .meta({ id: "Run", description: "One execution of one step of a task." });
export type RunJson = z.output<typeof runSchema>;

export const checkSchema = z
  .strictObject({
    run: z.string(),
    name: z.string(),
    severity: z.enum(["error", "warning"]),
    status: z.enum(CHECK_STATUSES),
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    tail: z.string(),
  })
  .meta({ id: "Check" });
export type CheckJson = z.output<typeof checkSchema>;

export const checkLogSchema = z
  .strictObject({
    run: z.string(),
    name: z.string(),
    on: z.enum(CHECK_PLACES),
    text: z.string().meta({ description: "As it was printed, with control characters. At most 256 KiB." }),
    start: z
      .int()
      .meta({ description: "Byte offset of the text. Pass it as `before` to get what was printed before." }),
    size: z.int().meta({ description: "Bytes of the whole log." }),
  })
  .meta({ id: "CheckLog" });

export const promptSchema = z
  .strictObject({
    run: z.string(),
    prompt: z.string().nullable().meta({
      description: "Null for a run without an agent, and if its files were removed after the retention time.",
    }),
  })
  .meta({ id: "Prompt" });
