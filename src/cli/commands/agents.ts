import { connect } from "../connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { paint } from "../print/style.ts";
import { table } from "../print/table.ts";

export async function agents(context: CliContext): Promise<void> {
  const client = await connect(context);
  const found = (await client.call("GET /agents")).agents;
  printResult(context, found, () =>
    table(
      ["AGENT", "PROGRAM", "VERSION", "USABLE"],
      found.map((agent) => [
        agent.name,
        agent.program ?? (agent.usable ? "built in" : ""),
        agent.version ?? "",
        agent.usable ? paint(context, "green", "yes") : (agent.problem ?? "no"),
      ]),
    ),
  );
}
