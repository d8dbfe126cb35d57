import { RefreshCw } from "lucide-react";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Loaded } from "../../ui/state.tsx";
import { AgentTable } from "./agent-table.tsx";
import { RoleTable } from "./role-table.tsx";

/** What is installed, and whether it can work tonight. */
export function AgentsView() {
  useTitle("Agents");
  const agents = useApi("GET /agents");
  return (
    <div className="page">
      <div className="flex wrap">
        <h1 className="h1">Agents</h1>
        <span className="end">
          <Button
            size="small"
            isBusy={agents.isFetching && agents.data !== undefined}
            onClick={() => void agents.refetch()}
          >
            <RefreshCw size={14} aria-hidden />
            Check again
          </Button>
        </span>
      </div>
      <p className="lead">
        What is installed on this machine, and whether it can work tonight. Nightshift never reads the login files of
        agents.
      </p>
      <Loaded query={agents} what="The list of agents">
        {({ agents: found }) =>
          found.length === 0 ? (
            <Empty title="No agent is known">Install an agent, then check again.</Empty>
          ) : (
            <AgentTable agents={found} />
          )
        }
      </Loaded>
      <RoleTable />
    </div>
  );
}
