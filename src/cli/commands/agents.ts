import type { AgentJson } from "../../http/client/client.ts";
import { connect } from "../daemon/connect.ts";
import { requireKnownProject } from "../project/find-project.ts";
import { printResult, type CliContext } from "../context.ts";
import { hangMessage } from "../print/terminal/message.ts";
import { describeParking } from "../print/task/queued.ts";
import type { Screen } from "../print/terminal/style.ts";
import { table, type Cell, type Column } from "../print/terminal/table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "AGENT" },
  { heading: "USABLE" },
  { heading: "VERSION", min: 8, drop: 2 },
  { heading: "NEEDED", min: 8, drop: 1 },
  { heading: "PROGRAM", min: 12, keep: "end", drop: 3 },
];

export async function agents(context: CliContext, { retry }: { readonly retry?: string } = {}): Promise<void> {
  const client = await connect(context);
  await requireKnownProject(context, client);
  if (retry !== undefined) {
    const tried = (await client.call("POST /agents/:name/retry", { params: { name: retry } })).agents;
    printResult(context, tried, () => `${retry} is tried with its next run. If it succeeds, its other tasks follow.\n`);
    return;
  }
  const found = (await client.call("GET /agents")).agents;
  printResult(context, found, () => describeAgents(context, found));
}

/** The reasons follow the table, because they say what to install and must not be cut. */
export function describeAgents(screen: Screen, found: readonly AgentJson[]): string {
  const rows = found.map((agent) => [
    agent.name,
    usableCell(agent),
    agent.version ?? "",
    agent.oldest_version === null ? "" : `${agent.oldest_version} or newer`,
    agent.program ?? (agent.usable ? "built in" : ""),
  ]);
  const reasons = found
    .filter(({ usable }) => !usable)
    .map(({ name, problem }) => `${hangMessage(screen, `${name}: ${problem ?? "not usable"}`, "  ")}\n`);
  const parked = found.flatMap((agent) => describeParkedAgent(screen, agent));
  const notes = [...reasons, ...parked];
  return `${table(screen, COLUMNS, rows)}${notes.length === 0 ? "" : `\n${notes.join("")}`}`;
}

function usableCell({ usable, parked_for }: AgentJson): Cell {
  if (!usable) return "no";
  return parked_for === null ? { text: "yes", style: "green" } : { text: "parked", style: "yellow" };
}

function describeParkedAgent(screen: Screen, agent: AgentJson): readonly string[] {
  const { name, parked_for: kind, parked_until: until, parked_reason: reason } = agent;
  if (kind === null || until === null) return [];
  return [`${hangMessage(screen, describeParking({ agent: name, kind, until, reason: reason ?? "" }), "  ")}\n`];
}
