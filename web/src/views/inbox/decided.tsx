import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { DecisionJson } from "../../../../src/http/client/client.ts";
import { api } from "../../api/client.ts";
import { useApi } from "../../api/queries.ts";
import { describeDecision } from "../../decide/decided.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty, ErrorBanner, Loaded } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";

const PAGE = 50;

/** Who decided what, and when. */
export function Decided() {
  const query = useApi("GET /decisions", { query: { limit: PAGE } });
  return (
    <Loaded query={query} what="The list of decisions">
      {({ decisions, next }) =>
        decisions.length === 0 ? (
          <Empty title="Nothing was decided yet">
            Approvals, answers, choices and merges appear here, with who and when.
          </Empty>
        ) : (
          <Pages first={decisions} next={next} />
        )
      }
    </Loaded>
  );
}

interface Older {
  readonly decisions: readonly DecisionJson[];
  readonly next: string | null;
}

function Pages({ first, next }: { first: readonly DecisionJson[]; next: string | null }) {
  const [older, setOlder] = useState<Older | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const cursor = older === null ? next : older.next;
  // New decisions push the last ones of the first page into the next one.
  const rows = [...new Map([...first, ...(older?.decisions ?? [])].map((each) => [each.id, each])).values()];

  async function loadMore(): Promise<void> {
    if (cursor === null) return;
    setBusy(true);
    try {
      const page = await api.call("GET /decisions", { query: { cursor, limit: PAGE } });
      setOlder({ decisions: [...(older?.decisions ?? []), ...page.decisions], next: page.next });
      setError(null);
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <ul className="decisions">
        {rows.map((decision) => (
          <Row key={decision.id} decision={decision} />
        ))}
      </ul>
      {error !== null && <ErrorBanner title="No more decisions could be loaded." error={error} />}
      {cursor === null ? (
        <p className="hint">These are all decisions.</p>
      ) : (
        <Button isBusy={isBusy} onClick={() => void loadMore()}>
          Load more
        </Button>
      )}
    </>
  );
}

function Row({ decision }: { decision: DecisionJson }) {
  const { at, task, title, project, summary, plan_hash: hash, via } = decision;
  return (
    <li>
      <span className="faint nowrap">
        <Time at={at} />
      </span>
      <div>
        <p>
          <b dir="auto">{describeDecision(decision)}</b>
          {via === "cli" && <span className="faint"> on the command line</span>}
          {via === "api" && <span className="faint"> with the API</span>}
        </p>
        {title === null ? (
          <p className="muted">
            <span className="mono">{decision.short_id}</span>, which was deleted
          </p>
        ) : (
          <p>
            <Link className="link" to="/inbox/$task" params={{ task }} dir="auto">
              {title}
            </Link>{" "}
            <span className="faint" dir="auto">
              {project}
            </span>
          </p>
        )}
        {summary !== "" && (
          <p className="muted said" dir="auto">
            {summary}
          </p>
        )}
      </div>
      {hash !== null && (
        <span className="hash" title={hash}>
          {shortHash(hash)}
        </span>
      )}
    </li>
  );
}
