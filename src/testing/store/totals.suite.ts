import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COST_DIMENSIONS, sumUsd, type CostDimension } from "../../core/money/cost-dimensions.ts";
import { NO_TOKENS, type CostBasis, type Tokens } from "../../core/task/run.ts";
import { hasEnded, TASK_STATUSES, type Task } from "../../core/task/task.ts";
import type { Store } from "../../ports/store.ts";
import type { CostQuery, CostRow } from "../../ports/store-money.ts";
import type { Current } from "./current.ts";
import { committing, queueTask, sampleEnd, sampleEvent, sampleProject, startTask } from "./samples.ts";

const DAY_MS = 86_400_000;
/** Daylight saving starts in Paris on the next day. */
const START = Date.UTC(2026, 2, 28);
const ZONES = ["UTC", "Europe/Paris", "Asia/Kathmandu", "America/St_Johns"];

/** What the test remembers of an ended run, to count everything again. */
type Cost = Readonly<Record<Exclude<CostDimension, "day" | "night">, string | null>> & {
  readonly at: number;
  readonly usd: number | null;
  readonly basis: CostBasis;
  readonly tokens: Tokens;
};

/** Few different values, so that many runs have the same group and the same time. Sometimes the clock is wrong. */
const time = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(4), fc.constantFrom(0, 1, DAY_MS / 2, DAY_MS - 3_600_000, DAY_MS - 1))
      .map(([days, ms]) => START + days * DAY_MS + ms),
  },
  fc.constantFrom(7, Date.UTC(2025, 10, 1), Date.UTC(2099, 0, 1)),
);

const ended = fc.record({
  kind: fc.constant("end" as const),
  at: time,
  project: fc.constantFrom("shop", "api"),
  pipeline: fc.constantFrom("chore", "improve"),
  model: fc.constantFrom("m1", "m2", null),
  usd: fc.option(fc.integer({ min: 0, max: 5_000 }).map((cents) => cents / 1_000)),
  basis: fc.constantFrom("reported" as const, "metered" as const, "computed" as const),
  input: fc.nat(3),
});
const operation = fc.oneof(
  { weight: 5, arbitrary: ended },
  fc.record({ kind: fc.constant("cancel" as const), at: time }),
  fc.record({ kind: fc.constantFrom("queue" as const, "removeProject" as const) }),
  fc.record({ kind: fc.constantFrom("delete" as const, "retry" as const), task: fc.nat(30) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const question = fc.record({
  since: fc.oneof(time, fc.constant(0)),
  length: fc.oneof(fc.nat(5 * DAY_MS), fc.constant(Date.UTC(2999, 0, 1))),
  project: fc.constantFrom(null, "shop", "api"),
  by: fc.subarray([...COST_DIMENSIONS]),
  timeZone: fc.constantFrom(...ZONES),
});

export function testTotals(current: Current): void {
  describe("totals", () => {
    it("equal a full count after any sequence of operations", async () => {
      const operations = fc.array(operation, { maxLength: 25 });
      const known: Known = { costs: [], tasks: [] };
      await fc.assert(
        fc.asyncProperty(operations, fc.array(question, { minLength: 3, maxLength: 3 }), async (todo, questions) => {
          // Several sequences share a store, so the rows of earlier ones are counted too.
          for (const each of todo) await perform(current.store, each, known);
          expect(await current.store.tasks.countTasks()).toEqual(await countAll(current.store));
          for (const { length, ...query } of questions) {
            const asked = { ...query, until: query.since + length + 1 };
            expect(await current.store.money.costs(asked)).toEqual(recount(known.costs, asked));
          }
        }),
        { numRuns: 40, endOnFailure: true },
      );
    });
  });
}

interface Known {
  readonly costs: Cost[];
  /** Ended tasks that were not deleted. */
  readonly tasks: Task[];
}

async function perform(store: Store, todo: Operation, { costs, tasks }: Known): Promise<void> {
  if (todo.kind === "queue") await queueTask(store);
  if (todo.kind === "removeProject") {
    await store.projects.saveProject(sampleProject({ name: "api" }), sampleEvent());
    await store.projects.removeProject("api", sampleEvent());
  }
  if (todo.kind === "cancel") {
    const { task } = await startTask(store);
    const endOthers = { status: "cancelled" as const, at: todo.at };
    const result = await store.tasks.commit(committing({ ...task, status: "cancelled" }, { endOthers }));
    tasks.push(result.task);
    const { project, pipeline } = task;
    const unknown = { usd: null, basis: "unknown" as const, tokens: NO_TOKENS };
    costs.push({ project, pipeline, role: "implement", agent: "scripted", model: null, at: todo.at, ...unknown });
  }
  if (todo.kind === "end") {
    const { at, project, pipeline, model, usd } = todo;
    const { task, run, lease } = await startTask(store, { project, pipeline });
    await store.tasks.updateRun(lease, { model });
    const tokens = { ...NO_TOKENS, input: todo.input };
    const basis = usd === null ? "unknown" : todo.basis;
    const endRun = sampleEnd(run.id, { finishedAt: at, costUsd: usd, costBasis: basis, tokens });
    const result = await store.tasks.commit(committing({ ...task, status: "succeeded" }, { lease, endRun }));
    tasks.push(result.task);
    costs.push({ project, pipeline, role: "implement", agent: "scripted", model, at, usd, basis, tokens });
  }
  if (todo.kind === "delete" || todo.kind === "retry") {
    const [task] = tasks.splice(todo.task, 1);
    if (task === undefined || !hasEnded(task)) return;
    if (todo.kind === "delete") return store.tasks.deleteTask(task.id, sampleEvent());
    await store.projects.saveProject(sampleProject({ name: task.project }), sampleEvent());
    await store.tasks.commit(committing({ ...task, status: "queued" }));
  }
}

async function countAll(store: Store) {
  const all = { status: null, state: null, project: null, cursor: null, limit: 1_000_000 };
  const { rows } = await store.tasks.listTasks(all);
  return Object.fromEntries(
    TASK_STATUSES.map((status) => [status, rows.filter((task) => task.status === status).length]),
  );
}

function recount(costs: readonly Cost[], query: CostQuery): readonly CostRow[] {
  const { by, since, until, project, timeZone } = query;
  const format = new Intl.DateTimeFormat("en-CA", { timeZone });
  const asked = costs.filter(
    (cost) => cost.at >= since && cost.at < until && (project === null || cost.project === project),
  );
  const groups = Map.groupBy(asked, (cost) =>
    JSON.stringify(
      by.map((dimension) => {
        if (dimension === "day") return format.format(cost.at);
        return dimension === "night" ? nightOf(cost.at, timeZone) : cost[dimension];
      }),
    ),
  );
  if (by.length === 0) return [{ key: {}, ...sum(asked) }];
  return (
    [...groups]
      // In this order, missing values are last.
      .toSorted(([one], [other]) => (one.replaceAll("null", "~") < other.replaceAll("null", "~") ? -1 : 1))
      .map(([key, found]) => {
        const values = JSON.parse(key) as string[];
        return {
          key: Object.fromEntries(by.map((dimension, place) => [dimension, values[place] ?? null])),
          ...sum(found),
        };
      })
  );
}

/** A night has the name of the day on which it began. Noon is never skipped by a change of the clock in these zones. */
function nightOf(at: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone }).format(at);
  const hour = Number(new Intl.DateTimeFormat("en-US", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(at));
  return new Date(Date.parse(day) - (hour < 12 ? DAY_MS : 0)).toISOString().slice(0, 10);
}

function sum(costs: readonly Cost[]): Omit<CostRow, "key"> {
  const count = (is: (cost: Cost) => boolean): number => costs.filter(is).length;
  const unknownRuns = count(({ basis }) => basis === "unknown");
  return {
    runs: costs.length,
    knownUsd: sumUsd(costs.map(({ usd }) => usd ?? 0)),
    unknownRuns,
    tokens: { ...NO_TOKENS, input: costs.reduce((all, { tokens }) => all + tokens.input, 0) },
    unknownTokens: count(({ basis, tokens }) => basis === "unknown" && tokens.input === 0),
    basis: {
      reported: count(({ basis }) => basis === "reported"),
      metered: count(({ basis }) => basis === "metered"),
      computed: count(({ basis }) => basis === "computed"),
      unknown: unknownRuns,
    },
  };
}
