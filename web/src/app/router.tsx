import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from "@tanstack/react-router";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** Every value in the address is text. */
type Search = Readonly<Record<string, string | undefined>>;
const validateSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(
    // A view removes a value by setting it to undefined.
    Object.entries(search).flatMap(([name, value]) =>
      value == null ? [] : [[name, String(value as string | number)]],
    ),
  );

const view = { getParentRoute: () => root, validateSearch } as const;

const routes = [
  createRoute({
    ...view,
    path: "/",
    component: lazyRouteComponent(() => import("../views/morning/morning.tsx"), "MorningView"),
  }),
  createRoute({
    ...view,
    path: "/nights/$date",
    component: lazyRouteComponent(() => import("../views/morning/morning.tsx"), "MorningView"),
  }),
  createRoute({
    ...view,
    path: "/inbox",
    component: lazyRouteComponent(() => import("../views/inbox/inbox.tsx"), "InboxView"),
  }),
  createRoute({
    ...view,
    path: "/inbox/$task",
    component: lazyRouteComponent(() => import("../views/inbox/inbox.tsx"), "InboxView"),
  }),
  createRoute({
    ...view,
    path: "/tasks",
    component: lazyRouteComponent(() => import("../views/tasks/tasks.tsx"), "TasksView"),
  }),
  createRoute({
    ...view,
    path: "/tasks/$id",
    component: lazyRouteComponent(() => import("../views/task/task.tsx"), "TaskView"),
  }),
  createRoute({
    ...view,
    path: "/tasks/$id/$tab",
    component: lazyRouteComponent(() => import("../views/task/task.tsx"), "TaskView"),
  }),
  createRoute({
    ...view,
    path: "/new",
    component: lazyRouteComponent(() => import("../views/new-task/new-task.tsx"), "NewTaskView"),
  }),
  createRoute({
    ...view,
    path: "/costs",
    component: lazyRouteComponent(() => import("../views/costs/costs.tsx"), "CostsView"),
  }),
  createRoute({
    ...view,
    path: "/projects/$name",
    component: lazyRouteComponent(() => import("../views/project/project.tsx"), "ProjectView"),
  }),
  createRoute({
    ...view,
    path: "/agents",
    component: lazyRouteComponent(() => import("../views/agents/agents.tsx"), "AgentsView"),
  }),
  createRoute({
    ...view,
    path: "/schedules",
    component: lazyRouteComponent(() => import("../views/schedules/schedules.tsx"), "SchedulesView"),
  }),
  createRoute({
    ...view,
    path: "/settings",
    component: lazyRouteComponent(() => import("../views/settings/settings.tsx"), "SettingsView"),
  }),
  createRoute({
    ...view,
    path: "/more",
    component: lazyRouteComponent(() => import("../views/more/more.tsx"), "MoreView"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren([...routes]),
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith((value) => String(value)),
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
