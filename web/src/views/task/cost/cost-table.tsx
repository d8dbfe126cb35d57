import { Link } from "@tanstack/react-router";
import type { RunJson } from "../../../../../src/http/client/client.ts";
import { formatCount, formatDuration, formatMoney, plural } from "../../../ui/format.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import type { RunSums } from "./sum-runs.ts";

/** Each run of an agent, and the sum of all. */
export function CostTable({ runs, sums }: { runs: readonly RunJson[]; sums: RunSums }) {
  return (
    <ScrollArea label="Cost by run">
      <table>
        <thead>
          <tr>
            <th>State</th>
            <th className="hide-sm">Role</th>
            <th className="hide-sm">Agent, model</th>
            <th className="num hide-sm">Input</th>
            <th className="num hide-sm">Output</th>
            <th className="num hide-sm">Cache read</th>
            <th className="num hide-sm">Cache write</th>
            <th className="num">Worked</th>
            <th className="hide-sm">Basis</th>
            <th className="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td>{plural(sums.runs, "run")}</td>
            <td className="hide-sm" aria-hidden />
            <td className="hide-sm" aria-hidden />
            <Tokens tokens={sums.tokens} />
            <td className="num">{formatDuration(sums.workedMs)}</td>
            <td className="hide-sm" aria-hidden />
            <td className="num">{formatMoney(sums.usd)}</td>
          </tr>
        </tfoot>
      </table>
    </ScrollArea>
  );
}

function RunRow({ run }: { run: RunJson }) {
  const { state, role, agent, model, attempt, tokens, duration_ms: duration, cost_basis: basis, cost_usd: usd } = run;
  return (
    <tr>
      <td className="nowrap">
        <Link
          className="link"
          to="/tasks/$id/$tab"
          params={{ id: run.task, tab: "transcript" }}
          search={{ run: run.id }}
        >
          <span dir="auto">{state}</span>
        </Link>
        {attempt > 1 && <span className="faint">, attempt {attempt}</span>}
        <span className="show-sm hint" dir="auto">
          {role}, {agent}, {basis}
        </span>
      </td>
      <td className="hide-sm">{role}</td>
      <td className="nowrap hide-sm" dir="auto">
        {agent} <span className="faint">{model}</span>
      </td>
      <Tokens tokens={tokens} />
      <td className="num">{duration === null ? "" : formatDuration(duration)}</td>
      <td className="faint hide-sm">{run.finished_at === null ? "runs" : basis}</td>
      <td className="num">{run.finished_at === null && usd === null ? "not yet" : formatMoney(usd)}</td>
    </tr>
  );
}

function Tokens({ tokens }: { tokens: RunJson["tokens"] }) {
  return [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write].map((count, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- always the same four
    <td className="num hide-sm" key={index}>
      {formatCount(count)}
    </td>
  ));
}
