import { setTimeout as sleep } from "node:timers/promises";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import type { Client, TaskJson } from "../../http/client/client.ts";
import { isSettled } from "../wait/wait-for-task.ts";
import type { DemoAgent } from "./scripts/scripts.ts";

interface DemoTask {
  readonly pipeline: string;
  readonly agent: DemoAgent;
  readonly title: string;
  readonly description: string;
  readonly category?: "docs" | "security";
  /** Where the task is at the end of the demo: its outcome, or the state in which it waits. */
  readonly end: string;
}

/** The tasks of the demo. Together they fill every section of the report. */
export const DEMO_TASKS = {
  chore: {
    pipeline: "chore",
    agent: "greeter",
    title: "Greet people by name",
    description: "Let greet.sh greet the person that it is given. Without a name it greets the night shift.",
    end: "published",
  },
  bug: {
    pipeline: "bug",
    agent: "fixer",
    title: "Names of two words are added wrongly",
    description: 'An order with the line "apple pie 3.50" has a total of 0.00.',
    end: "merged",
  },
  docs: {
    ...NIGHT_WORK,
    agent: "gardener",
    category: "docs",
    end: "published",
  },
  security: {
    ...NIGHT_WORK,
    agent: "auditor",
    category: "security",
    end: "no_improvement",
  },
  failing: {
    pipeline: "chore",
    agent: "rounder",
    title: "Print totals without trailing zeros",
    description: "total.sh should print 5.5 instead of 5.50. Do not change the tests.",
    end: "checks_failed",
  },
  feature: {
    pipeline: "feature",
    agent: "planner",
    title: "Give a discount on an order",
    description: "total.sh should take a discount in percent.",
    end: "plan_review",
  },
  questions: {
    pipeline: "chore",
    agent: "asker",
    title: "Print the opening hours",
    description: "Add hours.sh, which prints when the café is open.",
    end: "implementing",
  },
  choice: {
    pipeline: "bug",
    agent: "investigator",
    title: "An empty order has a total",
    description: "total.sh prints 0.00 for an order without lines.",
    end: "investigation_review",
  },
  request: {
    pipeline: "staged",
    agent: "clerk",
    title: "Count the lines of every script",
    description: "Write a list of all scripts with their number of lines.",
    end: "completed",
  },
  approval: {
    pipeline: "staged",
    agent: "archivist",
    title: "Find the scripts that change most often",
    description: "Write a list of all scripts with the number of commits that changed them.",
    end: "staged",
  },
} as const satisfies Readonly<Record<string, DemoTask>>;

export type DemoTaskName = keyof typeof DEMO_TASKS;
export type DemoNight = Readonly<Record<DemoTaskName, TaskJson>>;

const POLL_MS = 100;

/**
 * Submits all tasks, and takes the decisions of that night: a person chooses a fix of the bug and merges it, and approves the
 * plan of the request. Ends when every task has ended or waits for a person. `onSubmitted` is called before the first wait.
 */
export async function runDemoNight(
  client: Client,
  onSubmitted: (tasks: DemoNight) => Promise<unknown> = async () => undefined,
): Promise<DemoNight> {
  const submitted: Partial<Record<DemoTaskName, TaskJson>> = {};
  for (const [name, task] of Object.entries<DemoTask>(DEMO_TASKS))
    submitted[name as DemoTaskName] = await client.call("POST /tasks", { body: toDraft(task) });
  const night = submitted as DemoNight; // every name was submitted above
  await Promise.all([onSubmitted(night), decideBug(client, night.bug), decideRequest(client, night.request)]);
  const entries = Object.entries(night).map(async ([name, { id }]) => [name, await waitUntilSettled(client, id)]);
  return Object.fromEntries(await Promise.all(entries)) as DemoNight;
}

function toDraft({ pipeline, agent, title, description, category }: DemoTask) {
  return { project: "demo", pipeline, agent, title, description, category, only: category !== undefined };
}

async function decideBug(client: Client, { id }: TaskJson): Promise<void> {
  await waitUntilSettled(client, id);
  const choice = { option: "last-word", note: "Our orders have no notes.", then: "implement" as const };
  await client.call("POST /tasks/:id/choose", { params: { id }, body: choice });
  await waitUntilSettled(client, id);
  await client.call("POST /tasks/:id/merge", { params: { id }, body: {} });
}

async function decideRequest(client: Client, { id }: TaskJson): Promise<void> {
  const { plan_hash } = await waitUntilSettled(client, id);
  await client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash } });
}

async function waitUntilSettled(client: Client, id: string): Promise<TaskJson> {
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    if (isSettled(task)) return task;
    await sleep(POLL_MS);
  }
}
