import type { RunJson } from "../../../../../src/http/client/client.ts";
import { Time } from "../../../ui/time.tsx";
import { Fact } from "../facts/fact.tsx";

/** What one run was granted. */
export function RunGrants({ run }: { run: RunJson }) {
  return (
    <details className="fold">
      <summary>
        <b className="strong">{run.role ?? run.step}</b>{" "}
        <span className="muted">
          {run.agent}, <Time at={run.started_at ?? run.created_at} />
        </span>
      </summary>
      <dl className="kv">
        <Fact name="Sandbox">{run.sandbox ?? "none: no command ran"}</Fact>
      </dl>
    </details>
  );
}
