import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ReportScope } from "../core/outcomes/outcome.ts";
import { PLAN_KINDS } from "../core/outcomes/outcome-entry.ts";
import { ROLES } from "../core/task/role.ts";

/** Configuration of the server, in a file that the agent can read but not write. */
export interface ReportRules extends ReportScope {
  /** Absolute path in a directory that the agent may write to. */
  readonly reportFile: string;
}

const rules = z.object({ role: z.enum(ROLES), plan: z.enum(PLAN_KINDS), reportFile: z.string().startsWith("/") });

export function readRules(file: string): ReportRules {
  return rules.parse(JSON.parse(readFileSync(file, "utf8")));
}
