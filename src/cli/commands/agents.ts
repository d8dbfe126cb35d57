import type { AgentJson } from "../../http/client/client.ts";
import { connect } from "../connect.ts";
import { requireKnownProject } from "../find-project.ts";
import { printResult, type CliContext } from "../context.ts";
import { hangMessage } from "../print/message.ts";
import type { Screen } from "../print/style.ts";
import { table, type Column } from "../print/table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "AGENT" },
  { heading: "USABLE" },
  { heading: "VERSION", min: 8, drop: 2 },
  { heading: "NEEDED", min: 8, drop: 1 },
  { heading: "PROGRAM", min: 12, keep: "end", drop: 3 },
];

export async function agents(context: CliContext): Promise<void> {
  const client = await connect(context);
  await requireKnownProject(context, client);
  const found = (await client.call("GET /agents")).agents;
  printResult(context, found, () => describeAgents(context, found));
}

/** The reasons follow the table, because they say what to install and must not be cut. */
export function describeAgents(screen: Screen, found: readonly AgentJson[]): string {
  const rows = found.map((agent) => [
    agent.name,
    agent.usable ? ({ text: "yes", style: "green" } as const) : "no",
    agent.version ?? "",
    agent.oldest_version === null ? "" : `${agent.oldest_version} or newer`,
    agent.program ?? (agent.usable ? "built in" : ""),
  ]);
  const reasons = found
    .filter(({ usable }) => !usable)
    .map(({ name, problem }) => `${hangMessage(screen, `${name}: ${problem ?? "not usable"}`, "  ")}\n`);
  return `${table(screen, COLUMNS, rows)}${reasons.length === 0 ? "" : `\n${reasons.join("")}`}`;
}
