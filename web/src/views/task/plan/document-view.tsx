import { readDecision } from "../../../../../src/core/task/decision.ts";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { useApi } from "../../../api/queries.ts";
import { nameAgent } from "../../../decide/agent-name.ts";
import { DeedList, isExecutionPlan } from "../../../decide/approval/deed-list.tsx";
import { DocumentText } from "../../../decide/approval/document-text.tsx";
import { Revision } from "../../../decide/approval/versions.tsx";
import { Status } from "../../../ui/glyph.tsx";
import { Loaded } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { Commit } from "../facts/fact.tsx";
import { Subtasks } from "../facts/subtasks.tsx";
import { MadeBy } from "./made-by.tsx";
import { capitalize } from "../../../ui/format.ts";

type DocumentRef = TaskJson["documents"][number];

interface DocumentViewProps {
  readonly task: TaskJson;
  readonly events: readonly EventJson[];
  readonly document: DocumentRef;
}

/** One version of a document: its hash, who approved it, its text, and what changed since the version before. */
export function DocumentView({ task, events, document }: DocumentViewProps) {
  const { kind, version, hash } = document;
  // A version never changes.
  const query = useApi(
    "GET /tasks/:id/documents/:kind",
    { params: { id: task.id, kind }, query: { version } },
    { live: false },
  );
  const run = task.runs.find(({ id }) => id === document.run);
  const by = run === undefined ? "The agent" : nameAgent(run);
  return (
    <div className="two">
      <article aria-label={`${kind} version ${version}`}>
        <div className="flex wrap doc-head">
          <h2 className="h3">
            {capitalize(kind)} <Commit hash={hash} />
          </h2>
          <Approval {...{ task, events, document }} />
        </div>
        <Loaded query={query} what={`The ${kind}`}>
          {(read) => (
            <>
              {isExecutionPlan(read) ? (
                <DeedList content={read.content} inPlace={task.options.in_place} />
              ) : (
                <DocumentText document={read} by={by} />
              )}
              <Revision task={task} document={read} />
            </>
          )}
        </Loaded>
      </article>
      <aside className="props" aria-label="About the document">
        {kind === "plan" && <Subtasks task={task} />}
        <MadeBy {...{ task, run, document }} />
      </aside>
    </div>
  );
}

/** Who decided about exactly this version. */
function Approval({ task, events, document: { kind, version, hash } }: DocumentViewProps) {
  const waiting = task.waiting_for;
  if (waiting?.kind === "approval" && waiting.plan_hash === hash)
    return <Status name="waiting">Waiting for you to approve</Status>;
  const decided = events.findLast(({ type, data }) => type === "task.decided" && data["plan_hash"] === hash);
  const newer = task.documents.findLast((each) => each.kind === kind && each.version > version);
  if (decided !== undefined) {
    const decision = readDecision({ ...decided, data: decided.data });
    const isApproved = decision.kind === "approved";
    return (
      <span className="flex">
        {isApproved ? <Status name="succeeded">{verb(decision.kind)}</Status> : verb(decision.kind)}
        <span className="muted">
          by <bdi>{decided.actor.name}</bdi>, <Time at={decided.at} />
        </span>
      </span>
    );
  }
  if (newer !== undefined) return <span className="muted">Replaced by version {newer.version}</span>;
  return <span className="muted">Nobody had to approve it</span>;
}

function verb(kind: string): string {
  const words: Readonly<Record<string, string>> = {
    approved: "Approved",
    revised: "Changes requested",
    rejected: "Rejected",
  };
  return words[kind] ?? kind;
}
