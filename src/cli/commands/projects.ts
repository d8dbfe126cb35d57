import { UserError } from "../../core/text/errors.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { table, type Column } from "../print/terminal/table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "PROJECT" },
  { heading: "BRANCH", min: 12, drop: 1 },
  { heading: "REMOTE", min: 20, keep: "end" },
  { heading: "CHECKOUT", min: 20, keep: "end", drop: 2 },
];

export interface ProjectsOptions {
  readonly remove?: string;
  readonly withTasks?: boolean;
}

export async function projects(context: CliContext, options: ProjectsOptions): Promise<void> {
  const { remove, withTasks = false } = options;
  if (withTasks && remove === undefined)
    throw new UserError("invalid", "--with-tasks needs --remove <name>.", "Name the project to remove.");
  const client = await connect(context);
  if (remove !== undefined) {
    const query = withTasks ? { with_tasks: "true" } : {};
    await client.call("DELETE /projects/:name", { params: { name: remove }, query });
    const what = withTasks ? `project ${remove} and its tasks` : `project ${remove}`;
    return printResult(context, { removed: remove }, () => `Removed ${what}.\n`);
  }
  const found = (await client.call("GET /projects")).projects;
  printResult(context, found, () =>
    found.length === 0
      ? 'There are no projects. Run "nightshift init" in a repository to register it.\n'
      : table(
          context,
          COLUMNS,
          found.map((project) => [project.name, project.default_branch, project.remote, project.path ?? "–"]),
        ),
  );
}
