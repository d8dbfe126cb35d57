import { RIGHTS, type Right } from "../../core/task/requester.ts";
import { UserError } from "../../core/text/errors.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { table } from "../print/terminal/table.ts";
import { describeTime } from "../print/terminal/time.ts";

export async function listTokens(context: CliContext): Promise<void> {
  const client = await connect(context);
  const { tokens } = await client.call("GET /tokens");
  printResult(context, tokens, () =>
    tokens.length === 0
      ? 'There are no tokens except the daemon\'s own. Run "nightshift token add" to create one.\n'
      : table(
          context,
          [{ heading: "NAME", min: 12 }, { heading: "MAY" }, { heading: "ADDED", drop: 1 }],
          tokens.map((token) => [token.name, token.rights.join(", "), describeTime(token.created_at)]),
        ),
  );
}

export async function addToken(context: CliContext, name: string, options: { readonly may: string }): Promise<void> {
  const rights = options.may.split(",").map(readRight);
  const client = await connect(context);
  const issued = await client.call("POST /tokens", { body: { name, rights } });
  printResult(context, issued, () => `${issued.token}\n`);
  context.progress("This token is shown only once. Keep it where only its owner can read it.\n");
}

export async function removeToken(context: CliContext, name: string): Promise<void> {
  const client = await connect(context);
  await client.call("DELETE /tokens/:name", { params: { name } });
  printResult(context, { removed: name }, () => `Removed the token of ${name}.\n`);
}

function readRight(word: string): Right {
  const right = RIGHTS.find((known) => known === word.trim());
  if (right === undefined)
    throw new UserError(
      "invalid",
      `"${word.trim()}" is not a right.`,
      `--may accepts ${RIGHTS.join(", ")}, separated by commas.`,
    );
  return right;
}
