import { UserError } from "../../core/text/errors.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { table } from "../print/table.ts";

const RIGHTS = ["submit", "approve", "admin"] as const;
type Right = (typeof RIGHTS)[number];

export async function listTokens(context: CliContext): Promise<void> {
  const client = await connect(context);
  const { tokens } = await client.call("GET /tokens");
  answer(context, tokens, () =>
    tokens.length === 0
      ? "no tokens but the daemon's own; nightshift token add makes one\n"
      : table(
          ["NAME", "MAY", "SINCE"],
          tokens.map((token) => [token.name, token.rights.join(", "), token.created_at]),
        ),
  );
}

export async function addToken(context: CliContext, name: string, options: { readonly may: string }): Promise<void> {
  const rights = options.may.split(",").map(readRight);
  const client = await connect(context);
  const issued = await client.call("POST /tokens", { body: { name, rights } });
  answer(context, issued, () => `${issued.token}\n`);
  context.tell("shown this once: keep it where only its owner can read it\n");
}

export async function removeToken(context: CliContext, name: string): Promise<void> {
  const client = await connect(context);
  await client.call("DELETE /tokens/:name", { params: { name } });
  answer(context, { removed: name }, () => `${name} has no token any more\n`);
}

function readRight(word: string): Right {
  const right = RIGHTS.find((known) => known === word.trim());
  if (right === undefined)
    throw new UserError(
      "invalid",
      `"${word.trim()}" is no right`,
      `--may takes ${RIGHTS.join(", ")}, separated by commas`,
    );
  return right;
}
