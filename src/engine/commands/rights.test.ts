import { afterEach, describe, expect, it } from "vitest";
import type { Requester, Right } from "../../core/task/requester.ts";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { SAMPLE_DRAFT } from "../../testing/builders.ts";
import { git } from "../../testing/temp-repo.ts";
import type { Commands } from "./commands-contract.ts";

let world: EngineWorld;
afterEach(() => world.close());

const bob = (...rights: readonly Right[]): Requester => ({ kind: "person", name: "bob", rights });

const PLAN = {
  outcome: "plan_complete",
  summary: "read two files",
  plan: "Read both files.",
  plan_summary: "Read both files.",
  subtasks: [],
  prompt: "Compare them.",
  system_prompt: "",
  tools: ["Read"],
  directories: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1 },
  reasoning: "Only reads.",
};

async function open(settings = ""): Promise<void> {
  world = await openEngineWorld({
    settings,
    script: ({ role }) => (role === "plan" ? { report: PLAN } : { exitCode: 1 }),
  });
}

/** A staged task that a person cancelled while it waited for approval. */
async function cancelledPlan(): Promise<Task> {
  const { id } = await world.submit({ pipeline: "staged" });
  expect(await world.drain(id)).toMatchObject({ state: "staged", status: "waiting" });
  return await world.commands.cancel(id, bob("submit"));
}

const REFUSED = { kind: "forbidden", message: expect.stringContaining('needs the right "approve"') };

describe("rights: commands that skip a gate need the right of the gate", () => {
  it("a submit-only token cannot submit with auto-approval", async () => {
    await open();
    const draft = { ...SAMPLE_DRAFT, pipeline: "staged", autoApprove: true };
    await expect(world.commands.submit(draft, bob("submit"))).rejects.toMatchObject(REFUSED);
    expect(await world.commands.submit(draft, bob("submit", "approve"))).toMatchObject({ submittedBy: "bob" });
  });

  it("a schedule's auto-approval was accepted with the settings, so the right to submit is enough", async () => {
    await open(
      'schedules: [{ name: compare, cron: "0 3 * * *", pipeline: staged, title: Compare, auto_approve: true }]\n',
    );
    const schedule = { project: "shop", name: "compare", key: null };
    expect(await world.commands.runSchedule(schedule, bob("submit"))).toMatchObject({ options: { autoApprove: true } });
  });

  it("a submit-only token cannot cancel a waiting task and retry it behind the approval", async () => {
    await open();
    const { id } = await cancelledPlan();
    await expect(world.commands.retry(id, { from: "running" }, bob("submit"))).rejects.toMatchObject({
      kind: "forbidden",
      message: expect.stringMatching(/from "running" skips a decision \("staged"\) and needs the right "approve"/),
    });
    expect(world.supervisors.started).toEqual(["agent:plan"]);
    expect(await world.commands.retry(id, { from: "running" }, bob("submit", "approve"))).toMatchObject({
      state: "running",
    });
  });

  it("a task without a plan cannot be retried at its approval", async () => {
    await open();
    const { id } = await world.submit({ pipeline: "staged" });
    await world.commands.cancel(id, ADA);
    await expect(world.commands.retry(id, { from: "staged" }, ADA)).rejects.toMatchObject({
      kind: "conflict",
      message: `Cannot retry ${id} from "staged": it has no plan to decide about.`,
    });
    expect(await world.commands.retry(id, null, ADA)).toMatchObject({ state: "planning" });
  });

  it("a submit-only token can retry in front of the approval, and behind it once the plan was approved", async () => {
    await open();
    const { id } = await cancelledPlan();
    await world.commands.retry(id, { from: "staged" }, bob("submit"));
    const { planHash } = (await world.ports.store.tasks.getTask(id))!;
    await world.commands.approve(id, planHash, ADA);
    await world.commands.cancel(id, bob("submit"));
    expect(await world.commands.retry(id, { from: "running" }, bob("submit"))).toMatchObject({ state: "running" });
  });
});

describe("rights: a weakened test that the agent insists on", () => {
  const TWO_TESTS = 'test("adds", () => {});\ntest("adds zero", () => {});\n';
  const ONE_TEST = 'test("adds", () => {});\n';

  /** A task that waits for a decision about a removed test. */
  async function insisting(): Promise<Task> {
    world = await openEngineWorld({
      files: { "add.test.js": TWO_TESTS },
      script: ({ name }) =>
        name === "agent"
          ? { files: { "add.test.js": ONE_TEST }, report: { outcome: "implemented", summary: "it had to go" } }
          : {},
    });
    const { id } = await world.submit();
    const task = await world.drain(id);
    expect(task).toMatchObject({ status: "waiting", state: "checking", waitingFor: { kind: "choice" } });
    return task;
  }

  it("is not allowed by a retry, neither with the right to submit nor with the right to approve", async () => {
    const { id } = await insisting();
    for (const person of [bob("submit"), bob("submit", "approve")]) {
      await world.commands.cancel(id, person);
      await world.commands.retry(id, { from: "checking" }, person);
      const task = await world.drain(id);
      expect(task).toMatchObject({ status: "waiting", state: "checking", waitingFor: { kind: "choice" } });
    }
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("is allowed by a person's choice, for this commit", async () => {
    const { id } = await insisting();
    await world.commands.choose(id, { option: "checking", note: "the old rule is gone" }, bob("approve"));
    const task = await world.drain(id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(task.conversation).toMatchObject([{ reply: { option: "checking" }, by: "bob" }]);
  });

  it("needs a reason, which is published with the finding", async () => {
    const { id } = await insisting();
    await expect(world.commands.choose(id, { option: "checking" }, bob("approve"))).rejects.toThrow(/needs a reason/);
    await world.commands.choose(id, { option: "checking", note: "the old rule is gone" }, bob("approve"));
    const { reason } = await world.drain(id);
    expect(reason).toMatch(/not verified: the agent kept this after a warning:\n.*add\.test\.js/);
    expect(reason).toContain("bob allowed it: the old rule is gone");
  });

  it("ends the task if a person chooses that", async () => {
    const { id } = await insisting();
    expect(await world.commands.choose(id, { option: "failed" }, bob("approve"))).toMatchObject({ status: "failed" });
  });
});

it("rights: every command checks the requester's right before anything else", async () => {
  await open();
  const readOnly = bob();
  const calls: { readonly [Name in keyof Commands]: Parameters<Commands[Name]> } = {
    submit: [SAMPLE_DRAFT, readOnly],
    approve: ["task_x", null, readOnly],
    approveEdited: ["task_x", { planHash: null, plan: {} }, readOnly],
    reject: ["task_x", null, readOnly],
    revise: ["task_x", "no", readOnly],
    answer: ["task_x", {}, readOnly],
    choose: ["task_x", { option: "a" }, readOnly],
    comment: ["task_x", { commit: "", summary: "no", comments: [] }, readOnly],
    merge: ["task_x", {}, readOnly],
    apply: ["task_x", { force: false, dryRun: false }, readOnly],
    pause: ["task_x", readOnly],
    resume: ["task_x", readOnly],
    cancel: ["task_x", readOnly],
    kill: ["task_x", readOnly],
    retry: ["task_x", null, readOnly],
    followUp: ["task_x", { text: "more" }, readOnly],
    runRole: ["task_x", "review", readOnly],
    remove: ["task_x", readOnly],
    runSchedule: [{ project: "shop", name: "nightly", key: null }, readOnly],
    retryAgent: ["codex", readOnly],
    addProject: [{ kind: "path", path: "/x" }, readOnly],
    acceptTrust: [{ kind: "path", path: "/x" }, "h", readOnly],
    removeProject: ["shop", readOnly],
    removeProjectTasks: ["shop", readOnly],
    addToken: [{ name: "eve", rights: ["admin"] }, readOnly],
    removeToken: ["eve", readOnly],
    addRule: [{ project: "shop", text: "no" }, readOnly],
    editRule: ["rule_x", {}, readOnly],
    removeRule: ["rule_x", readOnly],
    giveReason: ["prop_x", { kind: "wrong", text: "" }, readOnly],
  };
  expect(Object.keys(calls).toSorted()).toEqual(Object.keys(world.commands).toSorted());
  for (const [name, given] of Object.entries(calls)) {
    const command = world.commands[name as keyof Commands] as (...given: readonly unknown[]) => Promise<unknown>;
    await expect(command(...given), name).rejects.toMatchObject({ kind: "forbidden" });
  }
});
