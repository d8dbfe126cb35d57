import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import { Skeleton } from "../../ui/state.tsx";
import { TaskHead } from "./head/task-head.tsx";
import { TaskProblem } from "./task-problem.tsx";
import { findTab, TaskTabs, type TabName } from "./tabs.tsx";

const Timeline = lazy(() => import("./timeline/timeline.tsx").then((file) => ({ default: file.Timeline })));
const Transcript = lazy(() => import("./transcript/transcript.tsx").then((file) => ({ default: file.Transcript })));
const Diff = lazy(() => import("./diff/diff.tsx").then((file) => ({ default: file.Diff })));

/** Everything about a task. */
export function TaskView() {
  const { id = "", tab = "timeline" } = useParams({ strict: false });
  const { data: task, error, refetch } = useApi("GET /tasks/:id", { params: { id } });
  useTitle(task?.title ?? "Task");
  if (error !== null && (task === undefined || isGone(error)))
    return <TaskProblem {...{ id, error }} known={task ?? null} retry={() => void refetch()} />;
  if (task === undefined)
    return (
      <div className="page wide">
        <h1 className="sr">Task</h1>
        <Skeleton />
      </div>
    );
  const current = findTab(tab);
  return (
    <div className="page wide">
      <TaskHead task={task} />
      <TaskTabs task={task} current={current} />
      <Suspense fallback={<Skeleton />}>
        {current === null ? <UnknownTab name={tab} /> : <TabContent task={task} tab={current} />}
      </Suspense>
    </div>
  );
}

function TabContent({ task, tab }: { task: TaskJson; tab: TabName }) {
  switch (tab) {
    case "timeline":
      return <Timeline task={task} />;
    case "transcript":
      return <Transcript task={task} />;
    case "diff":
      return <Diff taskId={task.id} />;
    default:
      return <p className="muted">Not built yet.</p>;
  }
}

function UnknownTab({ name }: { name: string }) {
  return (
    <p className="muted" style={{ paddingTop: 18 }}>
      A task has no tab named “<span dir="auto">{name}</span>”.
    </p>
  );
}

function isGone(error: Error): boolean {
  return "status" in error && error.status === 404;
}
