import { useParams } from "@tanstack/react-router";
import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { EventJson, TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import { Loaded, Skeleton } from "../../ui/state.tsx";
import { TaskHead } from "./head/task-head.tsx";
import { TaskPath } from "./path/path.tsx";
import { TaskProblem } from "./task-problem.tsx";
import { findTab, TaskTabs, type TabName } from "./tabs.tsx";
import { useTaskEvents } from "./use-task-events.ts";

const Timeline = lazy(() => import("./timeline/timeline.tsx").then((file) => ({ default: file.Timeline })));
const Transcript = lazy(() => import("./transcript/transcript.tsx").then((file) => ({ default: file.Transcript })));
const Diff = lazy(() => import("./diff/diff.tsx").then((file) => ({ default: file.Diff })));
const PlanTab = lazy(() => import("./plan/plan.tsx").then((file) => ({ default: file.PlanTab })));
const ChecksTab = lazy(() => import("./checks/checks.tsx").then((file) => ({ default: file.ChecksTab })));
const ArtifactsTab = lazy(() => import("./artifacts/artifacts.tsx").then((file) => ({ default: file.ArtifactsTab })));
const ContextTab = lazy(() => import("./context/context.tsx").then((file) => ({ default: file.ContextTab })));
const CostTab = lazy(() => import("./cost/cost.tsx").then((file) => ({ default: file.CostTab })));
const PermissionsTab = lazy(() =>
  import("./permissions/permissions.tsx").then((file) => ({ default: file.PermissionsTab })),
);

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
  return <KnownTask key={task.id} task={task} tab={tab} />;
}

function KnownTask({ task, tab }: { task: TaskJson; tab: string }) {
  const events = useTaskEvents(task.id);
  const current = findTab(tab);
  return (
    <div className="page wide">
      <TaskHead task={task} />
      <TaskPath task={task} events={events.data} />
      <TaskTabs task={task} current={current} />
      <Suspense fallback={<Skeleton />}>
        {current === null ? <UnknownTab name={tab} /> : <TabContent {...{ task, events }} tab={current} />}
      </Suspense>
    </div>
  );
}

interface TabContentProps {
  readonly task: TaskJson;
  readonly tab: TabName;
  readonly events: UseQueryResult<readonly EventJson[]>;
}

function TabContent({ task, tab, events }: TabContentProps) {
  switch (tab) {
    case "timeline":
      return <Timeline task={task} events={events} />;
    case "transcript":
      return <Transcript task={task} />;
    case "diff":
      return <Diff taskId={task.id} />;
    case "plan":
      return (
        <Loaded query={events} what="What happened to the task">
          {(list) => <PlanTab task={task} events={list} />}
        </Loaded>
      );
    case "checks":
      return (
        <Loaded query={events} what="What happened to the task">
          {(list) => <ChecksTab task={task} events={list} />}
        </Loaded>
      );
    case "artifacts":
      return <ArtifactsTab task={task} />;
    case "context":
      return <ContextTab task={task} />;
    case "cost":
      return <CostTab task={task} />;
    case "permissions":
      return <PermissionsTab task={task} />;
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
