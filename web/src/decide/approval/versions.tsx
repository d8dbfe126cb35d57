import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { DocumentJson, TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Banner, Loaded } from "../../ui/state.tsx";
import { Voice } from "../../ui/voice.tsx";
import type { WaitOf } from "../wait.ts";
import { TextDiff } from "./text-diff.tsx";

type Approval = WaitOf<"approval">;

/** The document of an approval. A version never changes. */
export function useDocument(task: string, { document }: Pick<Approval, "document">) {
  const { kind, version } = document ?? { kind: "plan" as const, version: undefined };
  const query = version === undefined ? {} : { version };
  return useApi("GET /tasks/:id/documents/:kind", { params: { id: task, kind }, query }, { live: false });
}

interface ChangedProps {
  readonly task: string;
  readonly opened: Approval;
  readonly current: Approval;
  readonly onSeen: () => void;
}

/** Another version waits for the approval than the one that the person reads. */
export function DocumentChanged({ task, opened, current, onSeen }: ChangedProps) {
  const kind = opened.document?.kind ?? "plan";
  return (
    <Banner kind="red">
      <p>
        <b className="strong">The {kind} changed while you read it.</b> Nothing was approved.{" "}
        <span className="muted">
          You read <code>{shortHash(opened.plan_hash ?? "")}</code>, now{" "}
          <code>{shortHash(current.plan_hash ?? "")}</code> waits for you.
        </span>
      </p>
      <Changes {...{ task, before: opened, after: current }} />
      <Button onClick={onSeen}>Show the new {kind}</Button>
    </Banner>
  );
}

function Changes({ task, before, after }: { task: string; before: Approval; after: Approval }) {
  const [old, now] = [useDocument(task, before), useDocument(task, after)];
  return (
    <Loaded query={old} what="The earlier version">
      {(first) => (
        <Loaded query={now} what="The new version">
          {(second) => <TextDiff before={first.text} after={second.text} label={`Changes of the ${second.kind}`} />}
        </Loaded>
      )}
    </Loaded>
  );
}

/** For a revised document: what a person asked for, and what changed because of it. */
export function Revision({ task, document }: { task: TaskJson; document: DocumentJson }) {
  const { kind, version, at } = document;
  const previous = task.documents.find((each) => each.kind === kind && each.version === version - 1);
  const before = useApi(
    "GET /tasks/:id/documents/:kind",
    { params: { id: task.id, kind }, query: { version: version - 1 } },
    { live: false, enabled: previous !== undefined },
  );
  if (previous === undefined || before.data === undefined) return null;
  const feedback = task.context.findLast(
    (entry) => entry.kind === "feedback" && entry.at >= previous.at && entry.at <= at,
  );
  return (
    <details className="revision" open>
      <summary>What changed since version {version - 1}</summary>
      {feedback !== undefined && (
        <Voice by="A person asked for this">
          <p className="said" dir="auto">
            {feedback.summary}
          </p>
        </Voice>
      )}
      <TextDiff before={before.data.text} after={document.text} label={`Changes since version ${version - 1}`} />
    </details>
  );
}
