import { ConfigError } from "../../core/text/errors.ts";
import type { ParsedConfig } from "./parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";

/** How far a schedule has come is kept under its name: two of one name, each in its own file, would keep each other from starting. */
export function requireOwnScheduleNames(user: ParsedConfig<UserWritten>, own: ParsedConfig<ProjectWritten>): void {
  const taken = new Set((user.written.schedules ?? []).map(({ name }) => name));
  const issues = (own.written.schedules ?? []).flatMap(({ name }, index) =>
    taken.has(name)
      ? [
          own.issue(
            ["schedules", index, "name"],
            `found \`${name}\`, which is a schedule of ${user.file} too; each schedule has a name of its own`,
          ),
        ]
      : [],
  );
  if (issues.length > 0) throw new ConfigError(issues);
}
