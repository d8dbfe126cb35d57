import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { limitsAt } from "../../src/core/money/budget.ts";
import { createCalendar } from "../../src/core/schedule/calendar.ts";
import type { AgentSettings } from "../../src/core/settings/settings.ts";
import type { Task } from "../../src/core/task/task.ts";
import type { Agent, AgentCommand, AgentRun } from "../../src/ports/agent.ts";
import { NIGHTLY_DRAFT, openNightly } from "../support/nightly.ts";
import { ALICE, openNight, type Night, type NightOptions } from "../support/night.ts";

vi.setConfig({ testTimeout: 180_000 });

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const REPORT_COST = `echo '{"type":"usage","tokens":{"input":1000,"output":20,"cache_read":0,"cache_write":0},"cost_usd":0.1,"model":"m-1"}'`;

/** Costs ten cents and runs the code in its task's description. */
const AGENT = `
PROMPT=$(cat)
case "$PROMPT" in *SILENTLY*) ;; *) ${REPORT_COST} ;; esac
case "$PROMPT" in *SLOWLY*) while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done ;; esac
case "$PROMPT" in *"CUT OFF"*) echo '{"type":"error","message":"no more money","failure":"budget"}'; exit 1 ;; esac
echo "hello $$" > greeting.txt
done_with "greeted"`;

/** A time zone in which it is not almost noon. */
const ZONE = new Date().getUTCHours() === 11 ? "Asia/Tokyo" : "UTC";

async function open(options: NightOptions): Promise<Night> {
  night = await openNight({
    agent: AGENT,
    timeoutMs: 60_000,
    ...options,
    settings: `time_zone: ${ZONE}\n${options.settings ?? ""}`,
  });
  return night;
}

const waitUntilQueued = ({ until }: Night, { id }: Task): Promise<Task> =>
  until(id, ({ queuedFor }) => queuedFor !== null);
const runTask = async ({ settled, submit }: Night, description: string): Promise<Task> =>
  settled((await submit({ description })).id);

async function eventSummaries({ wired }: Night, { id }: Task, type: string): Promise<readonly string[]> {
  const events = await wired.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
  return events.filter((event) => event.type === type).map(({ summary }) => summary);
}

describe("night budget", () => {
  it("stops agents when it is used up, reports it, and lets them continue at noon", async () => {
    const { submit, settled, runs, wired } = await open({
      userSettings: `sandbox: { mode: none }\ntime_zone: ${ZONE}\nbudget: { night_usd: 0.15, run_usd: 5 }\n`,
    });
    if (night === null) throw new Error("expected an open night");
    const limits = recordLimits(night);
    const first = await runTask(night, "Greet people");
    const second = await runTask(night, "Greet more people");
    expect([first.status, second.status]).toEqual(["succeeded", "succeeded"]);
    expect((await runs(first.id))[0]).toMatchObject({ reservedUsd: 0.15, costUsd: 0.1 });
    expect((await runs(second.id))[0]).toMatchObject({ reservedUsd: 0.05, costUsd: 0.1 });

    const third = await waitUntilQueued(night, await submit());
    const noon = third.queuedFor?.until ?? 0;
    expect(third).toMatchObject({ status: "queued", state: "implementing", queuedFor: { kind: "budget" } });
    const { dayOf, noonOf } = createCalendar(ZONE);
    expect(noonOf(dayOf(noon))).toBe(noon);
    expect(await eventSummaries(night, third, "task.queued")).toEqual([
      `night_over: the night's budget of $0.15 for all projects (budget.night_usd) is spent ($0.20 by 2 runs); it resets at 12:00 on ${dayOf(noon)} (${ZONE})`,
    ]);
    wired.ports.clock.now = () => noon;
    expect((await settled(third.id)).status).toBe("succeeded");
    const tries = (await runs(third.id)).filter(({ step }) => step === "agent");
    // The agent gets the reserved amount as its limit.
    expect(limits).toEqual([0.15, 0.05, 0.15]);
    // A run that was not started counts neither as an attempt nor as cost.
    expect(tries.map(({ outcome, attempt, costUsd }) => [outcome, attempt, costUsd])).toEqual([
      ["night_over", 1, 0],
      ["implemented", 1, 0.1],
    ]);
  });

  it("lets agents continue at once when the limit is raised, without a restart", async () => {
    const opened = await open({ settings: "budget: { night_usd: 0.15 }\n" });
    await runTask(opened, "Greet people");
    await runTask(opened, "Greet more people");
    const third = await waitUntilQueued(opened, await opened.submit());
    const file = join(opened.repo.checkout, "nightshift.yaml");
    const written = await readFile(file, "utf8");
    // A higher budget takes effect after a person accepted it.
    const project = await opened.wired.ports.store.projects.getProject("shop");
    if (project === null) throw new Error("expected a project");
    await writeFile(file, written.replace("night_usd: 0.15", "night_usd: 5"));
    const { wanted } = await opened.wired.projectFiles.pendingTrust(project, project.accepted);
    await saveProject(opened.wired.ports, { ...project, accepted: wanted }, ALICE);
    expect((await opened.settled(third.id)).status).toBe("succeeded");
    expect(await eventSummaries(opened, third, "run.note")).toContainEqual(
      expect.stringMatching(/^budget is available again: it no longer waits until 20/),
    );
    const tries = (await opened.runs(third.id)).filter(({ step }) => step === "agent");
    expect(tries.map(({ outcome }) => outcome)).toEqual(["night_over", "implemented"]);
  });

  it("ends a nightly improvement early, with the reason", async () => {
    const nightly = await openNightly({
      agent: `${REPORT_COST}\nnothing "all is well"`,
      settings: "budget: { night_usd: 0.15 }\n",
      timeoutMs: 60_000,
    });
    night = nightly;
    const task = await nightly.settled((await nightly.submit(NIGHTLY_DRAFT)).id);
    expect(task).toMatchObject({ status: "succeeded", state: "no_improvement", outcome: "night_over" });
    expect(task.reason).toMatch(
      /^the night's budget of \$0\.15 \(budget\.night_usd\) is spent \(\$0\.20 by 2 runs\); it resets at 12:00/,
    );
    const all = await nightly.runs(task.id);
    expect(all.map(({ outcome }) => outcome)).toEqual(["no_improvement", "no_improvement", "night_over"]);
  });

  it("stays reserved for an active run across a restart, and is released afterwards", async () => {
    const opened = await open({ settings: "budget: { night_usd: 2 }\nlimits: { concurrent_runs: 2 }\n" });
    const slow = await opened.submit({ description: "Greet people SLOWLY" });
    await opened.until(slow.id, ({ status }) => status === "running");
    const reserved = async (): Promise<number | null> => (await opened.runs(slow.id))[0]?.reservedUsd ?? null;
    await expect.poll(reserved, { timeout: 20_000 }).toBe(2);
    const other = await waitUntilQueued(opened, await opened.submit());
    expect(await eventSummaries(opened, other, "task.queued")).toEqual([
      expect.stringMatching(
        /^budget_reserved: the night's budget of \$2 .* is reserved \(\$0 by 0 runs, \$2 reserved by 1/,
      ),
    ]);
    await opened.restart();
    await expect
      .poll(() => eventSummaries(opened, slow, "run.note"), { timeout: 20_000 })
      .toEqual(["implement continued"]);
    expect(await readBudgetUse(opened)).toMatchObject([{ use: { reservedUsd: 2, running: 1 } }]);
    await writeFile(join(opened.repo.path, "go"), "");
    expect((await opened.settled(slow.id)).status).toBe("succeeded");
    expect(await readBudgetUse(opened)).toMatchObject([
      { use: { spentUsd: 0.1, runs: 1, reservedUsd: 0, running: 0 } },
    ]);
    const soon = (other.queuedFor?.until ?? 0) + 1;
    opened.wired.ports.clock.now = () => soon;
    expect((await opened.settled(other.id)).status).toBe("succeeded");
  });

  it("queues a run that exceeded it, and asks a person if the budget of a whole night is too small", async () => {
    const opened = await open({ settings: "budget: { night_usd: 0.15 }\n" });
    const whole = await runTask(opened, "CUT OFF");
    expect(whole).toMatchObject({ status: "waiting", waitingFor: { kind: "choice", reason: "no more money" } });
    const rest = await waitUntilQueued(opened, await opened.submit({ description: "CUT OFF" }));
    expect(rest).toMatchObject({ state: "implementing", queuedFor: { kind: "budget" } });
    expect(await eventSummaries(opened, rest, "task.queued")).toEqual([
      "night_over: it was cut off at $0.05, which was all that was left of the budget for the night or month",
    ]);
  });

  it("is not the reason for a run that ran out of tokens", async () => {
    const opened = await open({ settings: "budget: { night_usd: 0.15, run_tokens: 100 }\n" });
    await runTask(opened, "Greet people");
    const task = await runTask(opened, "CUT OFF");
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice", reason: "no more money" } });
  });

  it("reports how many runs have an unknown cost", async () => {
    const opened = await open({ settings: "budget: { night_usd: 0.05, month_usd: 90 }\n" });
    const silent = await runTask(opened, "Greet people SILENTLY");
    expect(silent.status).toBe("succeeded");
    expect(await eventSummaries(opened, silent, "run.note")).toEqual([
      "the cost of this run is unknown, so it does not count towards budget.night_usd and budget.month_usd and spending may exceed them",
    ]);
    expect(await eventSummaries(opened, await runTask(opened, "Greet people"), "run.note")).toEqual([]);
    const refused = await waitUntilQueued(opened, await opened.submit());
    expect((await eventSummaries(opened, refused, "task.queued"))[0]).toContain("1 run of unknown cost not counted");
  });

  it("without a limit has no effect and prints nothing", async () => {
    const opened = await open({ settings: "budget: { run_usd: 5 }\n" });
    opened.wired.ports.store.money.reserve = () => Promise.reject(new Error("reserve must not be called"));
    const task = await runTask(opened, "Greet people SILENTLY");
    expect(task.status).toBe("succeeded");
    expect(await eventSummaries(opened, task, "run.note")).toEqual([]);
    expect((await opened.runs(task.id))[0]).toMatchObject({ reservedUsd: null });
  });
});

describe("task budget", () => {
  it("is reduced by earlier runs; when it is used up, a person decides", async () => {
    const opened = await open({
      settings:
        "budget: { task_usd: 0.15, month_usd: 50 }\nchecks: { never: { command: 'grep -qx hello greeting.txt' } }\n",
    });
    const task = await runTask(opened, "Greet people");
    expect(task).toMatchObject({ status: "waiting", state: "implementing" });
    expect(task.waitingFor).toMatchObject({
      kind: "choice",
      reason: "the task's budget of $0.15 is spent ($0.20 by 2 runs): raise budget.task_usd to continue",
    });
    const tries = (await opened.runs(task.id)).filter(({ step }) => step === "agent");
    expect(tries.map(({ reservedUsd, outcome }) => [reservedUsd, outcome])).toEqual([
      [0.15, "implemented"],
      [0.05, "implemented"],
      [null, "budget_exhausted"],
    ]);
  });
});

/** Records the limit that each agent is started with. */
function recordLimits({ wired }: Night): readonly (number | null)[] {
  const limits: (number | null)[] = [];
  const { create: createAgent } = wired.ports.agents;
  Object.assign(wired.ports.agents, {
    create: (settings: AgentSettings): Agent => {
      const agent = createAgent(settings);
      const command = (run: AgentRun): AgentCommand => {
        limits.push(run.maxBudgetUsd);
        return agent.command(run);
      };
      return { ...agent, command };
    },
  });
  return limits;
}

async function readBudgetUse({ wired, repo }: Night) {
  const { store, projects, clock } = wired.ports;
  const project = await store.projects.getProject("shop");
  if (project === null) throw new Error(`no project in ${repo.path}`);
  const settings = await projects.settings(project);
  return store.money.listUse(limitsAt({ ...settings, at: clock.now() }));
}
