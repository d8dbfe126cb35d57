import type { AgentDefinition } from "../src/adapters/agents/definition.ts";
import type { ForgeDefinition } from "../src/adapters/forges/definition.ts";
import type { NotifierDefinition } from "../src/adapters/notifiers/definition.ts";

/** The tables of agents, tokens and channels in docs, as Markdown. */

export function renderAgentTable(agents: readonly AgentDefinition[]): string {
  return renderTable(
    ["kind", "program", "model reached by", "reports by", "seen working"],
    agents.map(({ kind, docs }) => [`\`${kind}\``, docs.program, docs.modelAccess, docs.reporting, docs.testedWith]),
  );
}

export function renderTokenTable(forges: readonly ForgeDefinition[]): string {
  return renderTable(
    ["forge", "kind of token", "rights"],
    forges.flatMap(({ name, docs }) => docs.map(([token, rights]) => [name, token, rights])),
  );
}

export function renderChannelTable(notifiers: readonly NotifierDefinition[]): string {
  const nightly = "a line of JSON for each ended `improve` task, in `logs/nights.jsonl` of Nightshift's home";
  const heartbeat = "a GET every 5 minutes while the daemon lives, and one at the end of each `improve` task";
  return renderTable(
    ["channel", "what it gets", "switched on by"],
    [
      ["terminal", "one line each, where `nightshift start --foreground` runs", "always"],
      ["run log", nightly, "always"],
      ...notifiers.map(({ kind, docs }) => [`\`${kind}\``, docs, "settings"]),
      ["`heartbeat`", heartbeat, "settings"],
    ],
  );
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [renderRow(head), `|${"---|".repeat(head.length)}`, ...rows.map(renderRow)].join("\n");
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
