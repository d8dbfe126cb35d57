import { terminalLine } from "../../core/text/terminal-text.ts";
import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { table } from "../print/table.ts";

const MAX_CELL = 100;

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
          ["PROJECT", "BRANCH", "REMOTE", "CHECKOUT"],
          found.map((project) =>
            [project.name, project.default_branch, project.remote, project.path ?? "–"].map((cell) =>
              terminalLine(cell, MAX_CELL),
            ),
          ),
        ),
  );
}
