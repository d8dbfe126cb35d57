import type { AgentJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { CodeText, listCommands } from "../../ui/code-text.tsx";
import { Command } from "../../ui/command.tsx";
import { formatCount } from "../../ui/format.ts";
import { Glyph, type GlyphName } from "../../ui/glyph.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

/** Parked agents need a person first, then those that cannot be used. */
export function AgentTable({ agents }: { agents: readonly AgentJson[] }) {
  const quality = useApi("GET /quality", { query: { by: "agent" } }).data;
  const runs = new Map(quality?.rows.map(({ agent, runs: { ended } }) => [agent ?? "", ended]));
  const sorted = agents.toSorted((a, b) => orderOf(a) - orderOf(b));
  return (
    <ScrollArea label="Agents">
      <table className="cards-sm">
        <thead>
          <tr>
            <th>Agent</th>
            <th>Version</th>
            <th>Tonight</th>
            <th>What to know</th>
            <th className="num">Runs, 30 days</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((agent) => (
            <AgentRow
              key={agent.name}
              agent={agent}
              runs={quality === undefined ? null : (runs.get(agent.name) ?? 0)}
            />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function orderOf({ usable, parked_for: parked }: AgentJson): number {
  if (usable) return parked === null ? 1 : 0;
  return 2;
}

function AgentRow({ agent, runs }: { agent: AgentJson; runs: number | null }) {
  const { name, kind, version, oldest_version: oldest } = agent;
  return (
    <tr>
      <td>
        <div className="strong agent-name" dir="auto">
          {name}
        </div>
        {kind !== name && <div className="faint mono small">{kind}</div>}
      </td>
      <td className="muted nowrap">
        {version ?? "–"}
        {oldest !== null && <div className="faint small">{oldest} or newer</div>}
      </td>
      <td className="nowrap w2">
        <Tonight agent={agent} />
      </td>
      <td className="muted w2">
        <WhatToKnow agent={agent} />
      </td>
      <td className="num hide-sm">{runs === null ? "" : formatCount(runs)}</td>
    </tr>
  );
}

/** Not installed is no failure: people have only some of the agents. */
function stateOf({
  name,
  kind,
  usable,
  version,
  program,
  parked_for: parked,
  problem,
}: AgentJson): readonly [GlyphName, string] {
  if (usable) return parked === null ? ["succeeded", "Usable"] : ["paused", "Parked"];
  // A kind of agent that works only with settings of a person.
  if (name === kind && program === null) return ["skipped", "Not set up"];
  const isMissing = version === null && program !== null && problem?.includes("is not on the daemon's PATH") === true;
  return isMissing ? ["skipped", "Not installed"] : ["failed", "Not usable"];
}

function Tonight({ agent }: { agent: AgentJson }) {
  const [glyph, word] = stateOf(agent);
  return (
    <>
      <span className={`st ${glyph}`}>
        <Glyph name={glyph} />
        {word}
      </span>
      {agent.usable && agent.parked_until !== null && (
        <div className="faint small">
          until <Time at={agent.parked_until} />
        </div>
      )}
    </>
  );
}

const NEEDS: Readonly<Record<NonNullable<AgentJson["parked_for"]>, string>> = {
  quota: "It has used up its quota.",
  login: "It needs a login.",
  program: "It cannot be started.",
  provider: "It does not reach its provider.",
};

function WhatToKnow({ agent }: { agent: AgentJson }) {
  const { problem, parked_for: parked, parked_reason: reason, program } = agent;
  if (!agent.usable && problem !== null) return <Problem text={problem} />;
  if (parked !== null)
    return (
      <>
        <p>{NEEDS[parked]}</p>
        {reason !== null && <Problem text={reason} />}
        <TryNow name={agent.name} />
      </>
    );
  return <span className="faint mono small break">{program ?? "built in"}</span>;
}

function Problem({ text }: { text: string }) {
  return (
    <>
      <CodeText text={text} />
      {listCommands(text).map((command) => (
        <Command key={command} text={command} />
      ))}
    </>
  );
}

/** One run tries; the others follow if it succeeds. */
function TryNow({ name }: { name: string }) {
  const retry = useAction("POST /agents/:name/retry");
  const refusal = useRefusal("submit", "Trying an agent");
  const tryNow = async (): Promise<void> => {
    if ((await retry.run({ params: { name } })) === null) return;
    showToast(`${name} is tried with its next run. If it succeeds, its other tasks follow.`);
  };
  return (
    <>
      <p className="try-now">
        <Button size="small" isBusy={retry.isBusy} refusal={refusal} onClick={() => void tryNow()}>
          Try now
        </Button>
      </p>
      {retry.error !== null && <ErrorBanner title="The agent was not tried." error={retry.error} />}
    </>
  );
}
