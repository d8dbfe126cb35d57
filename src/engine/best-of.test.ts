import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../core/task/task.ts";
import type { TaskDraft } from "../core/task/task-draft.ts";
import { ADA, openEngineWorld, type EngineWorld, type EngineWorldOptions } from "../testing/engine/engine-world.ts";
import type { ScriptedCommand, ScriptedEnd } from "../testing/engine/scripted-supervisors.ts";
import { findOverlap } from "./overlap.ts";
import { startDependents } from "./reconcile/start-dependents.ts";
import { tendAllVariants } from "./reconcile/tend-variants.ts";

let world: EngineWorld;
let ranking: ScriptedEnd;
/** Until then, the agent `idle` asks. */
let isAnswered = false;

afterEach(() => world.close());

const AGENTS = `  one: { kind: command, command: [/bin/true, one] }
  two: { kind: command, command: [/bin/true, two] }
  bad: { kind: command, command: [/bin/true, bad] }
  idle: { kind: command, command: [/bin/true, idle] }
  lazy: { kind: command, command: [/bin/true, lazy] }
checks:
  content: { command: "test -s greeting.txt" }
`;

/** Each agent greets with its own name. The check fails for the greeting of `bad`. */
async function play({ name, role, argv, cwd }: ScriptedCommand): Promise<ScriptedEnd> {
  if (name !== "agent") return (await greetingIn(cwd)) === "bad\n" ? { exitCode: 1, output: "bad greeting" } : {};
  if (role === "rank") return ranking;
  if (role === "plan") return { report: PLAN };
  const agent = argv.at(-1) ?? "";
  if (agent === "lazy") return { report: { outcome: "implemented", summary: "why?" } };
  if (agent === "idle" && !isAnswered)
    return { report: { outcome: "needs_info", summary: "why?", questions: [QUESTION] } };
  return { files: { "greeting.txt": `${agent}\n` }, report: { outcome: "implemented", summary: `greets as ${agent}` } };
}

const greetingIn = (cwd: string): Promise<string> => readFile(join(cwd, "greeting.txt"), "utf8");

const PLAN = {
  outcome: "plan_complete",
  summary: "Greet",
  plan: "Greet.",
  plan_summary: "Greet",
  subtasks: ["Greet"],
  files: ["greeting.txt"],
};

const QUESTION = { id: "why", question: "Why?", input: "text" };

async function open(options: Partial<EngineWorldOptions> = {}): Promise<void> {
  isAnswered = false;
  ranking = { report: { outcome: "ranked", summary: "it is shorter", ranking: ["A", "B"] } };
  world = await openEngineWorld({ script: play, settings: AGENTS, ...options });
}

const submit = (agents: readonly string[], draft: Partial<TaskDraft> = {}): Promise<Task> =>
  world.submit({ bestOf: agents.map((agent) => ({ agent, model: null })), ...draft });

async function read(id: string): Promise<Task> {
  const task = await world.ports.store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
}

async function variants(): Promise<readonly Task[]> {
  const query = { status: null, state: null, project: null, cursor: null, limit: 50, variants: "only" } as const;
  const { rows } = await world.ports.store.tasks.listTasks(query);
  return rows.toSorted((a, b) => (a.options.variantOf?.number ?? 0) - (b.options.variantOf?.number ?? 0));
}

/** Creates the variants, lets them end, and lets the task go on. */
async function drainVariants(): Promise<readonly Task[]> {
  await tendAllVariants(world.ports);
  for (const { id } of await variants()) await world.drain(id);
  await tendAllVariants(world.ports);
  return variants();
}

describe("best of N", () => {
  it("lets each agent implement the task, and continues with the variant that the reviewer ranks first", async () => {
    await open();
    const { id } = await submit(["one", "two"]);
    expect(await read(id)).toMatchObject({
      status: "queued",
      queuedFor: { kind: "variants", reason: "2 agents implement it: one, two." },
    });
    expect(await world.step(id)).toBeNull();
    const ended = await drainVariants();
    expect(ended).toMatchObject([
      { status: "succeeded", outcome: "checks_passed", options: { implementer: { agent: "one" } } },
      { status: "succeeded", outcome: "checks_passed", options: { implementer: { agent: "two" } } },
    ]);
    expect(await world.step(id)).toMatchObject({ role: "rank", outcome: "implemented", commit: null });
    const { options, headCommit } = await read(id);
    const chosen = ended.find((variant) => variant.id === options.implementer?.variant);
    expect(headCommit).toBe(chosen?.headCommit);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect((await world.runs(id)).map(({ role, step, outcome }) => [role ?? step, outcome])).toEqual([
      ["rank", "implemented"],
      ["checks", "checks_passed"],
      ["publish", "published"],
    ]);
    const branch = (await read(id)).branch ?? "";
    const published = await world.repo.git("--git-dir", world.repo.remote, "show", `${branch}:greeting.txt`);
    expect(published.trim()).toBe(chosen?.options.implementer?.agent);
  });

  it("names the variants neutrally in the prompt of the ranking, with their diffs and check results", async () => {
    await open();
    const { id } = await submit(["one", "two"]);
    await drainVariants();
    const run = await world.step(id);
    const prompt = await readFile(join(world.ports.host.home, "runs", run?.id ?? "", "prompt.md"), "utf8");
    expect(prompt).toMatch(/variant A>>>\nDiff:[^]*\+(one|two)[^]*Check results:\n[^]*content: passed[^]*variant B>>>/);
    expect(prompt).not.toContain("greets as one");
  });

  it("chooses the only variant that passed without a ranking", async () => {
    await open();
    const { id } = await submit(["bad", "two"]);
    expect(await drainVariants()).toMatchObject([
      { status: "failed", outcome: "checks_failed" },
      { status: "succeeded" },
    ]);
    expect(await world.step(id)).toMatchObject({ outcome: "implemented", error: null });
    expect(world.supervisors.started).not.toContain("agent:rank");
    expect(await read(id)).toMatchObject({ options: { implementer: { agent: "two" } }, state: "checking" });
  });

  it("takes the first variant that passed if the reviewer gives no usable ranking", async () => {
    await open();
    for (const given of [
      { exitCode: 1, output: "crashed" },
      { report: { outcome: "ranked", summary: "none", ranking: ["Z"] } },
      { report: { outcome: "needs_info", summary: "why?", questions: [QUESTION] } },
    ]) {
      const { id } = await submit(["two", "one"]);
      await drainVariants();
      ranking = given;
      expect(await world.step(id)).toMatchObject({ outcome: "implemented", status: "succeeded" });
      expect(await read(id)).toMatchObject({ options: { implementer: { agent: "two" } } });
      expect((await read(id)).context.at(-1)?.summary).toContain("no usable ranking");
      await world.commands.cancel(id, ADA);
      await world.commands.remove(id, ADA);
    }
  });

  it("repairs the best variant if none passed, with the agent that made it", async () => {
    await open({
      script: async (command) => {
        const { name, role, cwd } = command;
        const isRepair = name === "agent" && role === "implement" && (await greetingIn(cwd)) === "bad\n";
        if (isRepair)
          return { files: { "greeting.txt": "good\n" }, report: { outcome: "implemented", summary: "repaired" } };
        return play(command);
      },
    });
    const { id } = await submit(["idle", "bad"]);
    expect(await drainVariants()).toMatchObject([
      { status: "failed", outcome: "needs_info", waitingFor: null },
      { status: "failed", outcome: "checks_failed" },
    ]);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect((await world.runs(id)).map(({ role, step, agent, outcome }) => [role ?? step, agent, outcome])).toEqual([
      ["rank", null, "implemented"],
      ["checks", null, "checks_failed"],
      ["implement", "bad", "implemented"],
      ["checks", null, "checks_passed"],
      ["publish", null, "published"],
    ]);
  });

  it("ends like an agent that changed nothing if no variant has a change, and a retry starts new variants", async () => {
    await open();
    const { id } = await submit(["lazy", "lazy"]);
    await drainVariants();
    expect(await world.drain(id)).toMatchObject({ status: "failed", outcome: "no_changes" });
    expect((await read(id)).reason).toContain("variant 2 (lazy): ");
    expect(await world.commands.retry(id, null, ADA)).toMatchObject({ queuedFor: { kind: "variants" } });
    await tendAllVariants(world.ports);
    expect((await variants()).map(({ status }) => status).toSorted()).toEqual(["failed", "failed", "queued", "queued"]);
  });

  it("asks a person what the first agent asked if no variant has a change, and all agents start again with the answer", async () => {
    await open();
    const { id } = await submit(["lazy", "idle"]);
    await drainVariants();
    expect(await world.drain(id)).toMatchObject({
      status: "waiting",
      waitingFor: { kind: "answers", questions: [{ id: "why" }] },
    });
    isAnswered = true;
    await world.commands.answer(id, { why: "because of the test" }, ADA);
    expect(await read(id)).toMatchObject({ queuedFor: { kind: "variants" } });
    await drainVariants();
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    const again = (await variants()).filter(({ outcome }) => outcome === "checks_passed");
    expect(again).toHaveLength(1);
    const [run] = await world.runs(again[0]?.id ?? "");
    expect(await readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8")).toContain(
      "because of the test",
    );
  });

  it("keeps the work of all variants as refs, and removes their workspaces", async () => {
    await open();
    const { id } = await submit(["one", "bad"]);
    const ended = await drainVariants();
    await world.drain(id);
    expect(await world.ports.workspaces.list()).toEqual([]);
    for (const { id: variant, headCommit } of ended) expect(await readRef(variant)).toBe(headCommit);
  });

  it("passes cancel, pause and resume on to the variants, and takes no other command for a variant", async () => {
    await open();
    const { id } = await submit(["one", "two"]);
    await tendAllVariants(world.ports);
    await world.commands.pause(id, ADA);
    expect(await variants()).toMatchObject([{ status: "paused" }, { status: "paused" }]);
    await world.commands.resume(id, ADA);
    expect(await variants()).toMatchObject([{ status: "queued" }, { status: "queued" }]);
    expect(await read(id)).toMatchObject({ status: "queued", queuedFor: { kind: "variants" } });
    const [first] = await variants();
    for (const command of ["pause", "remove"] as const)
      await expect(world.commands[command](first?.id ?? "", ADA)).rejects.toThrow(`it is a variant of ${id}`);
    await world.commands.cancel(id, ADA);
    expect(await variants()).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
    await world.commands.remove(id, ADA);
    expect(await variants()).toEqual([]);
  });

  it("goes on with what passed if a person resumes it, and ends the other variants", async () => {
    await open();
    const { id } = await submit(["one", "two"]);
    await tendAllVariants(world.ports);
    await expect(world.commands.resume(id, ADA)).rejects.toThrow("none of its variants has passed the checks");
    const [first, second] = await variants();
    await world.drain(first?.id ?? "");
    await world.commands.resume(id, ADA);
    expect(await read(second?.id ?? "")).toMatchObject({ status: "cancelled" });
    await world.step(id);
    expect(await read(id)).toMatchObject({ options: { implementer: { agent: "one" } } });
  });

  it("ends variants whose task was cancelled by a daemon that died right after it", async () => {
    await open();
    const { id } = await submit(["one", "two"]);
    await tendAllVariants(world.ports);
    const before = await read(id);
    const at = world.ports.clock.now();
    const task: Task = { ...before, status: "cancelled", queuedFor: null, finishedAt: at };
    await world.ports.store.tasks.commit({
      task,
      expectedVersion: before.version,
      lease: null,
      endRun: null,
      endOthers: { status: "cancelled", at },
      newRun: null,
      events: [],
      checks: [],
      artifacts: [],
      notices: [],
      admission: { ...world.ports.host.capacity(), at },
    });
    await tendAllVariants(world.ports);
    expect(await variants()).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
  });

  it("shares the rest of the task's budget between the variants", async () => {
    await open();
    await submit(["one", "two", "two"], { budgetUsd: 4 });
    await tendAllVariants(world.ports);
    expect((await variants()).map(({ options }) => options.budgetUsd)).toEqual([1, 1, 1]);
  });

  it("waits for other tasks before the variants start", async () => {
    await open();
    const first = await world.submit({ agent: "one" });
    const { id } = await submit(["one", "two"], { after: [first.id] });
    await tendAllVariants(world.ports);
    expect(await variants()).toEqual([]);
    await world.drain(first.id);
    await startDependents(world.ports);
    expect(await read(id)).toMatchObject({ queuedFor: { kind: "variants" } });
    expect(await drainVariants()).toHaveLength(2);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("starts no variant while another task works on the files of its plan, but all variants at once", async () => {
    await open({ settings: `${AGENTS}gates: { plan: auto }\nlimits: { concurrent_runs: 4 }\n` });
    const other = await world.submit({ pipeline: "feature", agent: "one" });
    const { id } = await submit(["one", "two"], { pipeline: "feature" });
    await world.step(other.id);
    await world.step(id);
    await tendAllVariants(world.ports);
    expect(await variants()).toEqual([]);
    expect((await read(id)).queuedFor?.reason).toContain(`It waits for ${other.id}`);
    await world.commands.cancel(other.id, ADA);
    await tendAllVariants(world.ports);
    expect((await variants()).map(({ queuedFor }) => queuedFor)).toEqual([null, null]);
    // After a crash between the two, the first variant must not hold the second one back.
    for (const each of [await read(id), ...(await variants())]) expect(await findOverlap(world.ports, each)).toBeNull();
    expect((await world.ports.store.tasks.listOpenRuns()).map(({ role }) => role)).toEqual(["implement", "implement"]);
    expect((await read(id)).queuedFor?.reason).toBe("2 agents implement it: one, two.");
  });

  it("sends notices about the task only, not about its variants", async () => {
    await open({ over: ({ channels }) => ({ channels: { ...channels, namesFor: () => ["test"] } }) });
    const { id } = await submit(["one", "bad"]);
    await drainVariants();
    const due = () => world.ports.store.outbox.dueNotices(world.ports.clock.now(), 10);
    expect(await due()).toEqual([]);
    await world.drain(id);
    expect(await due()).toMatchObject([{ task: id, kind: "finished" }]);
  });

  it("is refused with unknown agents, and for pipelines without an implement step", async () => {
    await open();
    await expect(submit(["one", "nobody"])).rejects.toThrow(/nobody: There is no agent `nobody`/);
    await expect(submit(["one"])).rejects.toThrow("2 to 5 agents, not 1");
    await expect(submit(["one", "two"], { pipeline: "staged" })).rejects.toThrow("no implement step");
    await expect(submit(["one", "two"], { pipeline: "improve" })).rejects.toThrow("works through a list");
  });
});

async function readRef(variant: string): Promise<string> {
  const mirrors = join(world.ports.host.home, "mirrors");
  const [mirror = ""] = await readdir(mirrors);
  const ref = `refs/nightshift/rescue/${variant}`;
  return (await world.repo.git("--git-dir", join(mirrors, mirror, "rescue.git"), "rev-parse", ref)).trim();
}
