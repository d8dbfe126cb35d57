import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { useApi } from "../../../api/queries.ts";
import { describeCost } from "../head/task-head.tsx";
import { Fact } from "./fact.tsx";

/** How often the loops of the pipeline were taken, and the money. Limits that are untouched are not worth a line. */
export function LimitFacts({ task }: { task: TaskJson }) {
  const pipeline = useApi("GET /tasks/:id/pipeline", { params: { id: task.id } }).data;
  const used = (pipeline?.limits ?? []).filter((limit) => limit.used > 0);
  const { budget_usd: budget, max_turns: turns } = task.options;
  if (used.length === 0 && budget === null && turns === null) return null;
  return (
    <>
      <h2>Limits used</h2>
      <dl>
        {used.map(({ name, used: count, max }) => (
          <Fact name={name} key={name}>
            {count} of {max}
          </Fact>
        ))}
        <Fact name="Budget">{budget !== null && describeCost(task)}</Fact>
        <Fact name="Turns">{turns !== null && `at most ${turns} a run`}</Fact>
      </dl>
    </>
  );
}
