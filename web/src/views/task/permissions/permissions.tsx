import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Empty } from "../../../ui/state.tsx";
import { Denials } from "./denials.tsx";
import { RunGrants } from "./run-grants.tsx";

/** What each run was allowed to do, and what the sandbox refused. */
export function PermissionsTab({ task }: { task: TaskJson }) {
  // Checks and publishing are the engine's own work.
  const runs = task.runs.filter(({ step, started_at: started }) => step === "agent" && started !== null);
  if (runs.length === 0)
    return (
      <div className="tab-body">
        <Empty title="No agent has run yet">
          What each run is granted, and what the sandbox refuses, appears here.
        </Empty>
      </div>
    );
  return (
    <div className="tab-body">
      <Denials task={task} />
      <section aria-labelledby="granted">
        <h2 className="h3" id="granted">
          What each run was granted
        </h2>
        {runs.toReversed().map((run, index) => (
          <RunGrants key={run.id} run={run} isFirst={index === 0} />
        ))}
      </section>
    </div>
  );
}
