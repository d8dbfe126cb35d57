import { ConfigError } from "../../core/text/errors.ts";
import type { ParsedConfig } from "./parse-config.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";

/** The progress of a schedule is stored by its name, so schedules with the same name in two files would block each other. */
export function requireOwnScheduleNames(user: ParsedConfig<UserWritten>, own: ParsedConfig<ProjectWritten>): void {
  const taken = new Set((user.written.schedules ?? []).map(({ name }) => name));
  const issues = (own.written.schedules ?? []).flatMap(({ name }, index) =>
    taken.has(name)
      ? [
          own.issue(
            ["schedules", index, "name"],
            `found \`${name}\`, which is also a schedule in ${user.file}; each schedule needs a unique name`,
          ),
        ]
      : [],
  );
  if (issues.length > 0) throw new ConfigError(issues);
}
