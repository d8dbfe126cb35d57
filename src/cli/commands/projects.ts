import { terminalLine } from "../../core/text/terminal-text.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { table } from "../print/table.ts";

const MAX_CELL = 100;

export async function projects(context: CliContext, options: { readonly remove?: string }): Promise<void> {
  const client = await connect(context);
  if (options.remove !== undefined) {
    await client.call("DELETE /projects/:name", { params: { name: options.remove } });
    return answer(context, { removed: options.remove }, () => `forgot ${options.remove}\n`);
  }
  const found = (await client.call("GET /projects")).projects;
  answer(context, found, () =>
    found.length === 0
      ? "no projects; nightshift init registers the one in this folder\n"
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
