import { afterEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../testing/engine/scripted-supervisors.ts";
import { git } from "../testing/temp-repo.ts";

let world: EngineWorld;
afterEach(() => world.close());

/** What each role reports, and the files it changes. */
const ROLES: Readonly<Record<string, ScriptedEnd>> = {
  plan: {
    report: {
      outcome: "plan_complete",
      plan: "1. Greet the world.",
      plan_summary: "Greet the world",
      subtasks: ["Change the greeting"],
    },
  },
  implement: {
    files: { "greeting.txt": "hello, world\n" },
    report: { outcome: "implemented", summary: "greets the world" },
  },
  investigate: {
    report: {
      outcome: "investigation_complete",
      report: "The greeting is too short.",
      summary: "too short",
      options: [{ id: "longer", title: "Make it longer", description: "Add the world.", recommended: true }],
      subtasks: [],
    },
  },
  execute: { report: { outcome: "completed", summary: "three parsers compared", result: "B is the fastest." } },
  analyze: {
    report: {
      outcome: "improvement_found",
      category: "docs",
      candidates: [
        { rank: 1, title: "Greet the world", files: ["greeting.txt"], description: "Add it.", rationale: "Short." },
      ],
      selected: 1,
      slug: "greet-the-world",
    },
  },
  review: { report: { outcome: "approved", summary: "greets politely", comments: [] } },
  verify: { report: { outcome: "verified", summary: "does what was selected" } },
  describe: {
    report: {
      outcome: "described",
      title: "Greet the world",
      summary: "A longer greeting.",
      reasoning: "It was too short.",
      changes: "- greeting.txt",
      commit_message: "docs: greet the world",
    },
  },
};

const STAGED_PLAN = {
  outcome: "plan_complete",
  summary: "Compare the parsers",
  prompt: "Compare them and write the result down.",
  system_prompt: "",
  tools: ["Read"],
  directories: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1 },
  reasoning: "Only reads.",
};

async function open(roles: Readonly<Record<string, ScriptedEnd>> = ROLES, settings = ""): Promise<void> {
  world = await openEngineWorld({
    // The nightly improvement does not change recently changed files.
    settings: `improve: { avoid_recent_commits: 0 }\n${settings}`,
    script: ({ name, role }) => (name === "agent" ? (roles[role] ?? {}) : {}),
  });
}

describe("every built-in pipeline, from submit to its end", () => {
  it("chore: implement, check, publish", async () => {
    await open();
    const task = await world.drain((await world.submit({ pipeline: "chore" })).id);
    expect([task.status, await world.path(task.id)]).toEqual(["succeeded", ["checking", "publishing", "done"]]);
  });

  it("feature: a person approves the plan by its hash before anything is implemented", async () => {
    await open();
    const waiting = await world.drain((await world.submit({ pipeline: "feature" })).id);
    expect([waiting.state, waiting.status]).toEqual(["plan_review", "waiting"]);
    await expect(world.commands.approve(waiting.id, "another plan", ADA)).rejects.toMatchObject({ kind: "conflict" });
    const hash = waiting.planHash ?? "";
    await expect(world.commands.approve(waiting.id, hash.slice(0, 11), ADA)).rejects.toMatchObject({
      message: "The plan's hash is too short: at least 12 characters are needed.",
      hint: expect.stringMatching(new RegExp(`--plan ${hash.slice(0, 12)}\\.$`)),
    });
    await expect(world.commands.approve(waiting.id, `${hash}0`, ADA)).rejects.toMatchObject({ kind: "conflict" });
    // The beginning of the hash, as people see it.
    await world.commands.approve(waiting.id, hash.slice(0, 12), ADA);
    const task = await world.drain(waiting.id);
    expect(task).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    expect(world.supervisors.started).toEqual(["agent:plan", "agent:implement", "agent:review"]);
    expect(await git(world.repo.remote, "show", `${task.branch}:greeting.txt`)).toBe("hello, world");
  });

  it("feature: a person can reject a reviewed change that was published without a forge", async () => {
    await open(ROLES, "gates: { plan: auto }\n");
    const waiting = await world.drain((await world.submit({ pipeline: "feature" })).id);
    expect([waiting.state, waiting.status]).toEqual(["merging", "waiting"]);
    const task = await world.commands.reject(waiting.id, "not needed any more", ADA);
    expect(task).toMatchObject({ state: "cancelled", status: "cancelled", reason: "not needed any more" });
  });

  it("bug: the investigation comes first, and a person chooses how to fix it", async () => {
    await open(ROLES, "gates: { plan: auto }\n");
    const waiting = await world.drain((await world.submit({ pipeline: "bug" })).id);
    expect(waiting).toMatchObject({ state: "investigation_review", waitingFor: { kind: "choice" } });
    await world.commands.choose(waiting.id, { option: "longer" }, ADA);
    const task = await world.drain(waiting.id);
    expect([task.state, world.supervisors.started]).toEqual([
      "merging",
      ["agent:investigate", "agent:plan", "agent:implement", "agent:review"],
    ]);
  });

  it("staged: nothing is executed before the plan is approved", async () => {
    await open({ ...ROLES, plan: { report: STAGED_PLAN } });
    const waiting = await world.drain((await world.submit({ pipeline: "staged" })).id);
    expect([waiting.state, world.supervisors.started]).toEqual(["staged", ["agent:plan"]]);
    await world.commands.approve(waiting.id, waiting.planHash, ADA);
    const task = await world.drain(waiting.id);
    expect([task.status, task.state]).toEqual(["succeeded", "completed"]);
  });

  it("staged: an executor that reports success without a result fails", async () => {
    const execute = { report: { outcome: "completed", summary: "nothing to do" } };
    await open({ ...ROLES, plan: { report: STAGED_PLAN }, execute });
    const waiting = await world.drain((await world.submit({ pipeline: "staged" })).id);
    await world.commands.approve(waiting.id, waiting.planHash, ADA);
    const task = await world.drain(waiting.id);
    expect(task).toMatchObject({ status: "failed", outcome: "no_changes" });
    expect(task.reason).toContain("delivered neither a result nor a file");
  });

  it("improve: a candidate whose checks give no result is given up without another attempt", async () => {
    world = await openEngineWorld({
      settings: "checks:\n  test: { command: uv run pytest }\n",
      script: ({ name, role }) => (name === "agent" ? (ROLES[role] ?? {}) : { exitCode: 127, output: "uv: not found" }),
    });
    const improve = { category: "docs", only: true, scheduledAt: null } as const;
    const task = await world.drain((await world.submit({ pipeline: "improve", improve })).id);
    expect([task.status, task.state]).toEqual(["failed", "abandoned"]);
    expect(task.reason).toMatch(/docs: no check gave a result: test: could not run/);
    expect(world.supervisors.started.filter((name) => name === "agent:implement")).toHaveLength(1);
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("improve: one candidate is implemented, verified, described and pushed", async () => {
    await open();
    const improve = { category: "docs", only: true, scheduledAt: null } as const;
    const { id } = await world.submit({ pipeline: "improve", improve });
    const task = await world.drain(id);
    expect([task.status, task.state]).toEqual(["succeeded", "published"]);
    expect(world.supervisors.started).toEqual(["agent:analyze", "agent:implement", "agent:verify", "agent:describe"]);
    expect(await git(world.repo.remote, "log", "-1", "--format=%s", "night-shift/greet-the-world")).toBe(
      "docs: greet the world",
    );
  });
});
