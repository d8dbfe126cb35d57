import { sumRunCosts } from "../../core/money/sum-run-costs.ts";
import { describeTask } from "../../core/notices/notice.ts";
import { findGaps, listMissed, REPORT_EVENTS } from "../../core/report/gaps.ts";
import type {
  Gap,
  PeriodSummary,
  Problem,
  Report,
  ReportedTask,
  SectionContent,
  Span,
} from "../../core/report/report.ts";
import { periodBefore } from "../../core/report/report-period.ts";
import { compareChanges, nextFor, sectionOf, SECTIONS, type Section } from "../../core/report/sections.ts";
import { judgeNight } from "../../core/report/verdict.ts";
import { describeParked } from "../../core/task/describe-parked.ts";
import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import type { Run } from "../../core/task/run.ts";
import { OPEN_STATUSES, type Task } from "../../core/task/task.ts";
import type { StoreReader } from "../../ports/store-mutations.ts";
import type { Period } from "../../ports/store.ts";
import type { PipelinePolicy } from "../../core/pipeline/pipeline-policy.ts";
import { findMerged, listUnmerged } from "../merge/list-unmerged.ts";
import { policyOf, type PipelinePorts } from "../pipeline-of.ts";
import { listAllTasks } from "../task-pages.ts";
import { listPaidRuns } from "../variants.ts";
import { readChange } from "./read-change.ts";

interface ReportPorts extends PipelinePorts {
  readonly store: StoreReader;
}

/** Of each section. */
const MAX_TASKS = 200;
/** A change that a person merged where there is no forge. */
const MERGED = { state: "merged" } as const;

export interface ReportQuery extends Period {
  readonly night: string | null;
  readonly project: string | null;
  readonly timeZone: string;
  /** The time from which the period was derived. The clock may have moved on since. */
  readonly now: number;
}

/**
 * What happened in a period. If it reaches to the present, also what runs and waits now, however long it does, and published
 * branches without a forge that no person has merged.
 */
export async function readReport(ports: ReportPorts, query: ReportQuery): Promise<Report> {
  const { since, until, night, now, project } = query;
  const isCurrent = until > now;
  const [runs, events, parked] = await Promise.all([
    listRuns(ports, query, isCurrent),
    ports.store.events.listEventsIn(query, REPORT_EVENTS),
    isCurrent ? ports.store.agents.listParked() : [],
  ]);
  const tasks = await listTasks(ports, query, { runs, isCurrent });
  const sorted = await sortIntoSections(ports, tasks, now);
  const problems = parked.map((agent) => describeProblem(agent, tasks));
  return {
    night,
    since,
    until,
    verdict: judgeNight({
      counts: countSections(sorted),
      readingMinutes: sorted.review.reduce((sum, { change }) => sum + (change?.readingMinutes ?? 0), 0),
      problems: problems.map(({ text }) => text),
    }),
    problems,
    sections: await describeSections(ports, sorted, now),
    missed: listMissed(events, project),
    spans: runs.flatMap(toSpan),
    gaps: addParked(findGaps(events), parked, since),
    previous: await summarize(ports, periodBefore(query, query.timeZone), project),
  };
}

async function listRuns({ store }: ReportPorts, query: ReportQuery, isCurrent: boolean): Promise<readonly Run[]> {
  const [ended, open] = await Promise.all([
    store.tasks.listEndedRuns(query),
    isCurrent ? store.tasks.listOpenRuns() : [],
  ]);
  const ids = new Set(ended.map(({ id }) => id));
  // A run that ends between the two queries is in both.
  const runs = [...ended, ...open.filter(({ id }) => !ids.has(id))];
  return runs.filter(({ project }) => query.project === null || project === query.project);
}

/** Variants of a task are part of it. */
async function listTasks(
  ports: ReportPorts,
  query: ReportQuery,
  { runs, isCurrent }: { readonly runs: readonly Run[]; readonly isCurrent: boolean },
): Promise<readonly Task[]> {
  const { tasks } = ports.store;
  const open = isCurrent ? await listAllTasks(ports, { status: OPEN_STATUSES, project: query.project }) : [];
  const unmerged = isCurrent ? await listUnmerged(ports, query) : [];
  const known = new Map([...open, ...unmerged].map((task) => [task.id, task]));
  const others = new Set([
    ...runs.map(({ task }) => task),
    ...(await tasks.listEndedTaskIds(query.since, query.until)),
  ]);
  for (const id of others) {
    const task = known.get(id) ?? (await tasks.getTask(id));
    // A task may have been deleted since.
    if (task !== null) known.set(id, task);
  }
  return [...known.values()].filter(
    ({ project, options }) => options.variantOf === undefined && (query.project === null || project === query.project),
  );
}

type SortedTask = Omit<ReportedTask, "about" | "cost"> & { readonly policy: PipelinePolicy };
type Sorted = Readonly<Record<Section, readonly SortedTask[]>>;

async function sortIntoSections(ports: ReportPorts, tasks: readonly Task[], now: number): Promise<Sorted> {
  const since = Math.min(now, ...tasks.map(({ createdAt }) => createdAt));
  const merged = await findMerged(ports, { since, until: now + 1 });
  const requests = await ports.store.tasks.listChangeRequests(tasks.map(({ id }) => id));
  // The cast is safe: every section is a key.
  const sections = Object.fromEntries(SECTIONS.map((section) => [section, []])) as unknown as Record<
    Section,
    SortedTask[]
  >;
  // Parsing a pipeline takes longer than everything else.
  const policies = new Map<string, PipelinePolicy>();
  for (const task of tasks) {
    const changeRequest = requests.get(task.id) ?? null;
    const change = task.headCommit === task.baseCommit ? null : await readChange(ports, task);
    const policy = policies.get(task.pipelineHash) ?? (await policyOf(ports, task));
    policies.set(task.pipelineHash, policy);
    const facts = {
      task,
      changeRequest: changeRequest ?? (merged.has(task.id) ? MERGED : null),
      isPublished: change !== null,
      isNight: policy.report === "night",
    };
    sections[sectionOf(facts)].push({ task, changeRequest, change, policy });
  }
  for (const each of Object.values(sections)) each.sort((a, b) => lastChange(a) - lastChange(b));
  sections.review.sort((a, b) => (a.change === null || b.change === null ? 0 : compareChanges(a.change, b.change)));
  return sections;
}

async function describeSections(ports: ReportPorts, sorted: Sorted, now: number): Promise<Report["sections"]> {
  const sections = {} as Record<Section, SectionContent>;
  for (const section of SECTIONS) {
    const tasks: ReportedTask[] = [];
    for (const each of sorted[section].slice(0, MAX_TASKS)) tasks.push(await describeOne(ports, section, each, now));
    sections[section] = { total: sorted[section].length, tasks };
  }
  return sections;
}

async function describeOne(
  ports: ReportPorts,
  section: Section,
  sorted: SortedTask,
  now: number,
): Promise<ReportedTask> {
  const { task, changeRequest, change, policy } = sorted;
  const url = changeRequest?.url ?? task.options.request?.url ?? null;
  const runs = await listPaidRuns(ports, task);
  const about = describeTask(task, { report: policy.report, runs, url, at: now });
  const cost = sumRunCosts(runs.filter(({ step, startedAt }) => step === "agent" && startedAt !== null));
  return { task, changeRequest, change, cost, about: { ...about, next: nextFor(section, sorted, about.next) } };
}

/** The oldest first: what waits longest, or ended first. */
function lastChange({ task }: SortedTask): number {
  return task.finishedAt ?? task.waitingFor?.since ?? task.createdAt;
}

function countSections(sorted: Sorted): Readonly<Record<Section, number>> {
  return Object.fromEntries(SECTIONS.map((section) => [section, sorted[section].length])) as Record<Section, number>;
}

function describeProblem(parked: ParkedAgent, tasks: readonly Task[]): Problem {
  return {
    text: describeParked(parked),
    command: "nightshift doctor",
    agent: parked.agent,
    tasks: tasks.filter(({ queuedFor }) => queuedFor?.agent === parked.agent).length,
  };
}

function toSpan({ id, task, project, step, status, startedAt, finishedAt }: Run): readonly Span[] {
  return startedAt === null ? [] : [{ run: id, task, project, step, status, from: startedAt, to: finishedAt }];
}

/** An agent that was parked before the period has no event in it. */
function addParked(gaps: readonly Gap[], parked: readonly ParkedAgent[], since: number): readonly Gap[] {
  const earlier = parked.filter((each) => each.since < since);
  return [
    ...earlier.map((each): Gap => {
      return { kind: "agent", agent: each.agent, reason: describeParked(each), from: each.since, to: null };
    }),
    ...gaps,
  ];
}

async function summarize({ store }: ReportPorts, period: Period, project: string | null): Promise<PeriodSummary> {
  const ids = await store.tasks.listEndedTaskIds(period.since, period.until);
  const found = await Promise.all(ids.map((id) => store.tasks.getTask(id)));
  const tasks = found.filter(
    (task) => task !== null && task.options.variantOf === undefined && (project === null || task.project === project),
  );
  return {
    ...period,
    succeeded: tasks.filter((task) => task?.status === "succeeded").length,
    failed: tasks.filter((task) => task?.status === "failed").length,
  };
}
