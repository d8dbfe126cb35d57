import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { table, type Column } from "../print/table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "PROJECT" },
  { heading: "BRANCH", min: 12, drop: 1 },
  { heading: "REMOTE", min: 20, keep: "end" },
  { heading: "CHECKOUT", min: 20, keep: "end", drop: 2 },
];

export async function projects(context: CliContext, options: { readonly remove?: string }): Promise<void> {
  const client = await connect(context);
  if (options.remove !== undefined) {
    await client.call("DELETE /projects/:name", { params: { name: options.remove } });
    return printResult(context, { removed: options.remove }, () => `Removed project ${options.remove}.\n`);
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
