import { useSearch } from "@tanstack/react-router";
import { useApi } from "../../../api/queries.ts";
import { Empty, ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import { findDefaultSince, findReviewed, WHOLE } from "./since.ts";
import { ShownDiff } from "./shown-diff.tsx";

/** The change of a task: what it does, what was said about it, and a person's own comments. */
export function Diff({ taskId }: { taskId: string }) {
  const search = useSearch({ strict: false });
  const task = useApi("GET /tasks/:id", { params: { id: taskId } });
  const whole = useApi("GET /tasks/:id/diff", { params: { id: taskId } });
  const asked = search["since"] ?? null;
  const standard = task.data === undefined || whole.data === undefined ? null : findDefaultSince(task.data, whole.data);
  const since = asked === WHOLE ? null : (asked ?? standard);
  const part = useApi(
    "GET /tasks/:id/diff",
    { params: { id: taskId }, query: { since: since ?? "" } },
    { enabled: since !== null },
  );
  const error = task.error ?? whole.error;
  if (task.data === undefined || whole.data === undefined) {
    if (error === null) return <Skeleton />;
    return <ErrorBanner title="The change could not be read." error={error} retry={() => void whole.refetch()} />;
  }
  if (whole.data.run === null) return <NoChange hasCommit={hasCommit(whole.data)} />;
  const reviewed = findReviewed(task.data, whole.data);
  // A commit that is not kept any more is no reason to show nothing.
  const isPart = since !== null && part.error === null;
  if (isPart && part.data === undefined) return <Skeleton />;
  return (
    <>
      {since !== null && part.error !== null && (
        <ErrorBanner title="The whole change is shown." error={part.error} retry={() => void part.refetch()} />
      )}
      <ShownDiff
        key={taskId}
        task={task.data}
        diff={isPart && part.data !== undefined ? part.data : whole.data}
        reviewed={reviewed}
      />
    </>
  );
}

interface Commits {
  readonly base_commit: string | null;
  readonly head_commit: string | null;
}

function hasCommit({ base_commit: base, head_commit: head }: Commits): boolean {
  return head !== null && head !== base;
}

function NoChange({ hasCommit: isRemoved }: { hasCommit: boolean }) {
  if (isRemoved)
    return (
      <Empty title="The patch of this task was removed">
        It ended long ago, and old patches are deleted. Its commit and its branch are kept where they were published.
      </Empty>
    );
  return <Empty title="No run has left a change yet">It appears here as soon as an agent has changed files.</Empty>;
}
