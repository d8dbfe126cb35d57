import { z } from "zod";
import { CATEGORIES } from "../../core/nightly/category.ts";
import { PROOF_GATES } from "../../core/settings/settings.ts";
import { ROLES } from "../../core/task/role.ts";
import { requiredName } from "./common.ts";
import { route } from "./route.ts";

const amount = z.number().nullable();
const gate = z.enum(["person", "auto"]);
const names = z.array(z.string());

const projectSettingsSchema = z
  .strictObject({
    project: z.string(),
    time_zone: z.string(),
    agent: z.string(),
    fallback_agent: z.string().nullable(),
    roles: z.array(
      z.strictObject({
        role: z.enum(ROLES),
        agent: z.string(),
        model: z
          .string()
          .nullable()
          .meta({ description: "Null: the model that the agent's settings or its CLI choose." }),
        timeout_ms: z.int(),
        max_turns: z.int().nullable(),
        max_budget_usd: amount,
      }),
    ),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        command: z.string(),
        related: z.string().nullable(),
        severity: z.enum(["error", "warning"]),
        timeout_ms: z.int(),
      }),
    ),
    scan_secrets: z.boolean().meta({ description: "Whether the built-in check `no-secrets` runs." }),
    fail_on_warning: z.boolean(),
    repair_attempts: z.int(),
    gates: z.strictObject({ plan: gate, merge: gate, proof: z.enum(PROOF_GATES) }),
    forge: z
      .strictObject({
        kind: z.string(),
        project: z.string().nullable(),
        reviewer: z.string().nullable(),
        labels: names,
        draft: z.boolean(),
      })
      .nullable(),
    sandbox: z.strictObject({
      mode: z.enum(["enforce", "external", "none"]),
      network: names,
      read: names,
      write: names,
      commands: names.nullable().meta({ description: "Null: all programs of the system." }),
    }),
    secrets: z
      .array(z.strictObject({ name: z.string(), roles: z.array(z.enum(ROLES)) }))
      .meta({ description: "Names, never values." }),
    mcp: names.meta({ description: "Names of the MCP servers whose tools a plan may give to its agent." }),
    budget: z.strictObject({
      run_usd: amount,
      task_usd: amount,
      night_usd: amount,
      month_usd: amount,
      run_tokens: z.int().nullable(),
    }),
    limits: z.strictObject({
      concurrent_runs: z.int(),
      open_change_requests: z.int(),
      task_timeout_ms: z.int(),
    }),
    improve: z.strictObject({
      schedule: z.string().nullable(),
      max_diff_lines: z.int(),
      publish: z.enum(["engine", "agent"]),
      categories: z.array(z.enum(CATEGORIES)).meta({ description: "Of any day of the week." }),
    }),
  })
  .meta({ id: "ProjectSettings", description: "The settings of a project that apply now, from all files." });
export type ProjectSettingsJson = z.output<typeof projectSettingsSchema>;

export const PROJECT_SETTINGS_ROUTES = {
  "GET /projects/:name/settings": route({
    summary: "Get the settings that apply to a project. Names of secrets, never their values.",
    right: "read",
    params: z.strictObject({ name: requiredName }),
    ok: projectSettingsSchema,
  }),
} as const;
