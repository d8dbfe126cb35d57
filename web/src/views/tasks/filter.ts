import { TASK_STATUSES, type TaskStatus } from "../../../../src/core/task/task.ts";

/** The filters of the list. All of them are in the address. */
export interface TaskFilter {
  /** Empty: all. */
  readonly status: readonly TaskStatus[];
  readonly project: string | null;
  readonly pipeline: string | null;
  readonly agent: string | null;
  readonly tag: string | null;
  readonly text: string | null;
}

export const FILTER_NAMES = ["status", "project", "pipeline", "agent", "tag", "text"] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  status: "Status",
  project: "Project",
  pipeline: "Pipeline",
  agent: "Agent",
  tag: "Tag",
  text: "Text",
};

type Search = Readonly<Record<string, string | undefined>>;

export function readFilter(search: Search): TaskFilter {
  const value = (name: FilterName): string | null => search[name]?.trim().slice(0, MAX_VALUE) || null;
  return {
    status: TASK_STATUSES.filter((status) => search["status"]?.split(",").includes(status)),
    project: value("project"),
    pipeline: value("pipeline"),
    agent: value("agent"),
    tag: value("tag"),
    text: value("text"),
  };
}

/** Longer values are refused by the API. */
const MAX_VALUE = 200;

/** Parameters for the address; undefined removes one. */
export function writeFilter(filter: TaskFilter): Record<FilterName, string | undefined> {
  return {
    status: filter.status.length === 0 ? undefined : filter.status.join(","),
    project: filter.project ?? undefined,
    pipeline: filter.pipeline ?? undefined,
    agent: filter.agent ?? undefined,
    tag: filter.tag ?? undefined,
    text: filter.text ?? undefined,
  };
}

/** The filters that are set, in the order in which they are shown. */
export function activeFilters(filter: TaskFilter): readonly FilterName[] {
  const values = writeFilter(filter);
  return FILTER_NAMES.filter((name) => values[name] !== undefined);
}

export function withoutFilter(filter: TaskFilter, name: FilterName): TaskFilter {
  return name === "status" ? { ...filter, status: [] } : { ...filter, [name]: null };
}

/** @internal */
export const NO_FILTER: TaskFilter = {
  status: [],
  project: null,
  pipeline: null,
  agent: null,
  tag: null,
  text: null,
};

/** Parameters of the API, without the status, which the groups of the list set themselves. */
export function toQuery({ project, pipeline, agent, tag, text }: TaskFilter) {
  return {
    ...(project !== null && { project }),
    ...(pipeline !== null && { pipeline }),
    ...(agent !== null && { agent }),
    ...(tag !== null && { tag }),
    ...(text !== null && { text }),
  };
}
