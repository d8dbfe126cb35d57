import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Role, ROLES } from "../core/task/role.ts";

/** Configuration of the server, in a file that the agent can read but not write. */
export interface ReportRules {
  readonly role: Role;
  /** Absolute path in a directory that the agent may write to. */
  readonly reportFile: string;
}

const rules = z.object({ role: z.enum(ROLES), reportFile: z.string().startsWith("/") });

export function readRules(file: string): ReportRules {
  return rules.parse(JSON.parse(readFileSync(file, "utf8")));
}
