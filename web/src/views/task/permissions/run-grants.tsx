import { useState } from "react";
import type { RunJson } from "../../../../../src/http/client/client.ts";
import { useApi } from "../../../api/queries.ts";
import { formatDuration, formatMoney } from "../../../ui/format.ts";
import { Loaded } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { Fact } from "../facts/fact.tsx";

type Grants = NonNullable<RunJson["grants"]>;

/** What one run was granted. Read when it is opened, because there may be many runs. */
export function RunGrants({ run, isFirst }: { run: RunJson; isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details className="fold marked" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b className="strong">{run.role ?? run.step}</b>
        <span className="muted">
          {" "}
          {run.agent !== null && <bdi>by {run.agent}, </bdi>}
          <Time at={run.started_at ?? run.created_at} />
        </span>
      </summary>
      {isOpen && <Opened run={run} />}
    </details>
  );
}

function Opened({ run }: { run: RunJson }) {
  const query = useApi("GET /runs/:id", { params: { id: run.id } }, { enabled: run.grants === null });
  if (run.grants !== null) return <GrantList run={run} grants={run.grants} />;
  return (
    <Loaded query={query} what="What the run was granted">
      {(read) => (read.grants === null ? <NotRecorded run={read} /> : <GrantList run={read} grants={read.grants} />)}
    </Loaded>
  );
}

/** Runs that never started their agent, and those of earlier versions, have no record. */
function NotRecorded({ run: { sandbox } }: { run: RunJson }) {
  return (
    <p className="muted">
      What it was granted is not recorded.
      {sandbox !== null && <> Sandbox: {sandbox}.</>}
    </p>
  );
}

function GrantList({ run: { limits }, grants }: { run: RunJson; grants: Grants }) {
  const { tools, commands, directories, network, secrets, mcp, sandbox } = grants;
  const paths = (access: "read" | "write") =>
    directories.filter((each) => each.access === access).map(({ path }) => path);
  return (
    <dl className="kv">
      <Fact name="Sandbox">{sandbox === "none" ? "none: all permissions of the user" : sandbox}</Fact>
      <Fact name="Tools">
        <Names names={tools} none="those that the agent has by itself" />
      </Fact>
      <Fact name="Commands">
        {commands === null ? "all programs of the system" : <Names names={commands} none="none" />}
      </Fact>
      <Fact name="May write">
        <Names names={paths("write")} none="only its own directories" />
      </Fact>
      <Fact name="May read">
        <Names names={paths("read")} none="only its own directories" />
      </Fact>
      <Fact name="Network">
        <Names names={network} none="no host" />
      </Fact>
      <Fact name="Secrets">
        <Names names={secrets} none="none" />
      </Fact>
      <Fact name="MCP">{mcp.length > 0 && <Names names={mcp} none="" />}</Fact>
      <Fact name="Limits">
        {limits !== null &&
          [
            formatDuration(limits.timeout_ms),
            ...(limits.max_turns === null ? [] : [`${limits.max_turns} turns`]),
            ...(limits.budget_usd === null ? [] : [formatMoney(limits.budget_usd)]),
          ].join(", ")}
      </Fact>
    </dl>
  );
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  if (names.length === 0) return <span className="faint">{none}</span>;
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ", "}
      <code dir="auto">{name}</code>
    </span>
  ));
}
