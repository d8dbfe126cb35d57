import { z } from "zod";
import { PARK_KINDS } from "../../core/task/parked-agent.ts";
import { TASK_STATUSES } from "../../core/task/task.ts";
import { time } from "./common.ts";
import { runSchema } from "./run.ts";

export const parkedAgentSchema = z
  .strictObject({
    agent: z.string(),
    kind: z
      .enum(PARK_KINDS)
      .meta({ description: "What the agent needs: its quota, a login, its program, or its provider." }),
    reason: z.string(),
    since: time,
    until: time.meta({ description: "When one of its runs tries again. The others wait for that run." }),
  })
  .meta({ id: "ParkedAgent" });
export type ParkedAgentJson = z.output<typeof parkedAgentSchema>;

const outageSchema = z
  .strictObject({ project: z.string(), reason: z.string(), since: time, until: time })
  .meta({ id: "Outage" });
export type OutageJson = z.output<typeof outageSchema>;

export const statusSchema = z
  .strictObject({
    pid: z.int(),
    version: z.string(),
    started_at: time,
    uptime_ms: z.int(),
    sandbox: z.string(),
    tasks: z.record(z.enum(TASK_STATUSES), z.int()),
    open_runs: z.int(),
    problems: z.array(z.string()).meta({ description: "Current problems of the daemon, one sentence each." }),
    parked_agents: z.array(parkedAgentSchema).meta({ description: "Agents that start no runs for now." }),
    outages: z.array(outageSchema).meta({
      description: "Projects whose forge or remote cannot be read at the moment. `until`: when it is tried again.",
    }),
  })
  .meta({ id: "Status" });

export const stopSchema = z
  .strictObject({
    forced: z.boolean(),
    runs: z.array(runSchema).meta({ description: "The active runs. They continue, or are ended if forced." }),
  })
  .meta({ id: "Stopping" });

export const healthSchema = z.strictObject({ status: z.literal("ok") }).meta({ id: "Health" });

export const agentSchema = z
  .strictObject({
    name: z.string(),
    kind: z.string(),
    program: z.string().nullable(),
    version: z.string().nullable().meta({ description: "The installed version, if it can be read." }),
    oldest_version: z.string().nullable().meta({ description: "The oldest version that can be used. Null: any." }),
    usable: z.boolean(),
    problem: z.string().nullable().meta({ description: "Why the agent is not usable, and what to do." }),
    parked_until: time
      .nullable()
      .meta({ description: "When a parked agent is tried again. Null if it is not parked." }),
    parked_for: z.enum(PARK_KINDS).nullable(),
    parked_reason: z.string().nullable(),
  })
  .meta({ id: "Agent" });
export type AgentJson = z.output<typeof agentSchema>;

export const findingSchema = z
  .strictObject({
    name: z.string(),
    ok: z.enum(["yes", "no", "warn"]).meta({ description: "`no` blocks work. `warn` does not." }),
    detail: z.string(),
    fix: z.string().nullable().meta({ description: "How to fix it." }),
    night: z
      .strictObject({
        need: z.enum(["project", "settings", "daemon", "agent", "trust", "checks", "push", "files", "schedule"]),
        met: z.boolean(),
      })
      .optional()
      .meta({ description: "Set if a night of the project in `path` needs this." }),
  })
  .meta({ id: "Finding" });
export type FindingJson = z.output<typeof findingSchema>;
