import { afterEach, describe, expect, it } from "vitest";
import type { Requester } from "../core/task/requester.ts";
import type { Task } from "../core/task/task.ts";
import { ForgeError } from "../core/text/errors.ts";
import type { ChangeRequestState, Forge, MergeParams } from "../ports/forge.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { git } from "../testing/temp-repo.ts";
import { createDelivery } from "./deliver/deliver.ts";
import { withForgeChannels } from "./deliver/forge-channels.ts";
import { autoMerge } from "./reconcile/auto-merge.ts";
import { createMergedBranchSweep } from "./reconcile/find-merged-branches.ts";
import { createReadBack } from "./reconcile/read-back.ts";
import { createOutages } from "./reconcile/outages.ts";
import type { ProjectSource } from "../ports/workspace.ts";
import type { EnginePorts } from "./ports.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHECKS = "checks:\n  test: { command: npm test }\n";
const URL = "https://forge.example/team/shop/pull/7";
let ticks = 0;
const clock = createFakeClock(Date.UTC(2026, 0, 1));

/** A forge with one open change request. Tests change its state. */
interface ScriptedForge {
  state: Partial<ChangeRequestState>;
  refusal: ForgeError | null;
  readonly merges: MergeParams[];
  readonly closed: string[];
}

function scriptedForge(): ScriptedForge {
  return { state: { state: "open", ci: "passed", hasConflict: false }, refusal: null, merges: [], closed: [] };
}

function toForge(script: ScriptedForge): Forge {
  let head = "";
  const read = async () => ({ number: 7, url: URL, headCommit: head, mergeCommit: null, ...script.state });
  const forge: Partial<Forge> = {
    repository: "forge.example/team/shop",
    credentialsFor: () => null,
    publish: async (draft, onOpened) => {
      head = draft.commit;
      const opened = { number: 7, url: URL, title: draft.title, branch: draft.branch };
      await onOpened?.(opened);
      return { ...opened, state: "open", isNew: true, warnings: [] };
    },
    read: read as unknown as Forge["read"],
    merge: async (_, params) => {
      script.merges.push(params);
      if (script.refusal !== null) throw script.refusal;
      script.state = { ...script.state, state: "merged" };
      return { mergeCommit: "f".repeat(40), warnings: [] };
    },
    close: async (_, comment) => {
      script.closed.push(comment);
      if (script.refusal !== null) throw script.refusal;
      return "closed";
    },
  };
  return forge as Forge;
}

interface Options {
  readonly settings?: string;
  readonly verdict?: "approved" | "changes_requested";
  readonly forge?: ScriptedForge;
  readonly pass?: (checkpoint: string) => void;
}

/** A chore or feature that waits for its merge. */
async function waiting({ settings = "", verdict = "approved", forge, pass }: Options = {}): Promise<Task> {
  let work = 0;
  const opened = forge === undefined ? null : toForge(forge);
  world = await openEngineWorld({
    settings: `${CHECKS}gates: { plan: auto, merge: ${settings === "auto" ? "auto" : "person"} }\n`,
    ...(pass !== undefined && { pass }),
    script: ({ name, role }) => {
      if (name !== "agent") return {};
      if (role === "review") return { report: { outcome: verdict, summary: "looked at it", comments: [] } };
      if (role === "plan")
        return { report: { outcome: "plan_complete", plan: "1. Do it.", plan_summary: "Do it", subtasks: ["It"] } };
      work += 1;
      return {
        files: { "greeting.txt": `hello, world ${work}\n` },
        report: { outcome: "implemented", summary: "greets the world" },
      };
    },
    over: (ports) => ({
      // Runs are sorted by their time, so no two of them may have the same.
      clock: { ...clock, now: () => clock.now() + (ticks += 1), newId: ports.clock.newId },
      ...(opened !== null && { forges: { open: () => opened } }),
    }),
  });
  const { id } = await world.submit({ pipeline: "feature" });
  const task = await world.drain(id);
  expect(task).toMatchObject({ status: "waiting", state: "merging", waitingFor: { kind: "merge" } });
  return task;
}

const read = async (id: string): Promise<Task> => (await world.ports.store.tasks.getTask(id))!;
const events = async (id: string) => world.ports.store.events.listEvents({ after: 0, task: id, limit: 1000 });
const mainOf = (): Promise<string> => git(world.repo.remote, "rev-parse", "main");
const bob = (...rights: Requester["rights"]): Requester => ({ kind: "person", name: "bob", rights });

describe("merge without a forge", () => {
  it("fast-forwards the default branch of the remote to the reviewed commit, and says who did it", async () => {
    const { id, branch } = await waiting();
    const commit = await git(world.repo.remote, "rev-parse", branch!);
    const checkout = await world.repo.git("rev-parse", "HEAD");
    expect(await world.commands.merge(id, {}, ADA)).toMatchObject({ status: "succeeded", state: "done" });
    expect(await mainOf()).toBe(commit);
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname:short)", "refs/heads")).toBe("main");
    expect(await world.repo.git("rev-parse", "HEAD")).toBe(checkout);
    expect(await events(id)).toContainEqual(
      expect.objectContaining({ type: "request.merged", actor: expect.objectContaining({ name: "ada" }) }),
    );
  });

  it("checks and reviews the change again if the default branch has new commits", async () => {
    const { id } = await waiting();
    const later = await world.repo.commit({ "other.txt": "other\n" });
    expect(await world.commands.merge(id, {}, ADA)).toMatchObject({ state: "checking", status: "queued" });
    expect(await mainOf()).toBe(later);
    expect(await world.drain(id)).toMatchObject({ state: "merging" });
    expect(await world.commands.merge(id, { method: "merge" }, ADA)).toMatchObject({ status: "succeeded" });
    expect(await git(world.repo.remote, "show", "main:other.txt")).toBe("other");
    expect(await git(world.repo.remote, "show", "main:greeting.txt")).toMatch(/hello, world/);
  });

  it("notices that a person merged the branch with git, even if that person deleted it, and asks the remote only when due", async () => {
    const { id, branch } = await waiting();
    let fetches = 0;
    const { sync } = world.ports.workspaces;
    const workspaces = { ...world.ports.workspaces, sync: (source: ProjectSource) => (fetches++, sync(source)) };
    const ports = { ...world.ports, workspaces };
    const sweep = createMergedBranchSweep(ports, createOutages(ports));
    await sweep();
    await sweep();
    expect([(await read(id)).status, fetches]).toEqual(["waiting", 1]);
    await clock.advance(31_000);
    await sweep();
    // The default branch did not move.
    expect(fetches).toBe(1);
    await world.repo.git("fetch", "-q", "origin");
    await world.repo.git("merge", "-q", "--no-ff", "--no-edit", `origin/${branch}`);
    await world.repo.git("push", "-q", "origin", "HEAD:main", `:${branch}`);
    await clock.advance(31_000);
    await sweep();
    expect(await read(id)).toMatchObject({ status: "succeeded", state: "done", outcome: "merged" });
    expect(await events(id)).toContainEqual(
      expect.objectContaining({ type: "request.merged", summary: `${branch} was merged into main by hand` }),
    );
  });

  it("refuses a default branch that is checked out in the remote, and leaves it as it is", async () => {
    const { id } = await waiting();
    await git(world.repo.remote, "config", "core.bare", "false");
    const before = await mainOf();
    await expect(world.commands.merge(id, {}, ADA)).rejects.toMatchObject({
      message: expect.stringContaining('"main" is checked out'),
    });
    expect(await mainOf()).toBe(before);
    expect(await read(id)).toMatchObject({ status: "waiting" });
  });

  it("a repeated command after a crash between the merge and its commit ends the task and merges nothing twice", async () => {
    const crash = new Error("the daemon stops");
    let isCrashing = true;
    const { id } = await waiting({
      pass: (checkpoint) => {
        if (checkpoint === "change.merged" && isCrashing) throw crash;
      },
    });
    await expect(world.commands.merge(id, { method: "squash" }, ADA)).rejects.toBe(crash);
    const merged = await mainOf();
    expect(await read(id)).toMatchObject({ status: "waiting" });
    isCrashing = false;
    expect(await world.commands.merge(id, { method: "squash" }, ADA)).toMatchObject({ status: "succeeded" });
    expect(await mainOf()).toBe(merged);
  });

  it("a rejection leaves the branch on the remote and says so", async () => {
    const { id, branch } = await waiting();
    expect(await world.commands.reject(id, "not now", ADA)).toMatchObject({ status: "cancelled" });
    expect(await git(world.repo.remote, "rev-parse", branch!)).toMatch(/^[0-9a-f]{40}$/);
    expect((await events(id)).map(({ summary }) => summary)).toContain(`The branch ${branch} stays on the remote.`);
  });
});

describe("merge: who may do it, and when", () => {
  it("needs the right to approve", async () => {
    const { id } = await waiting();
    await expect(world.commands.merge(id, {}, bob("submit"))).rejects.toMatchObject({ kind: "forbidden" });
  });

  it("a change request that a person closed cancels the task a minute later, however often it is read meanwhile", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge });
    const readBack = createReadBack(world.ports, createOutages(world.ports));
    forge.state = { ...forge.state, state: "closed" };
    await readBack({ triggered: new Set(["shop"]) });
    for (let seconds = 0; seconds < 50; seconds += 10) {
      await clock.advance(10_000);
      await readBack({ onlyTasks: true });
      expect((await read(id)).status).toBe("waiting");
    }
    await clock.advance(11_000);
    await readBack({ onlyTasks: true });
    expect(await read(id)).toMatchObject({ status: "cancelled", outcome: "closed" });
  });

  it("is refused for a task that ended", async () => {
    const { id } = await waiting();
    await world.commands.cancel(id, ADA);
    await expect(world.commands.merge(id, {}, ADA)).rejects.toThrow(/nothing to merge.*it has ended \(cancelled\)/);
  });

  it("needs a note if the review did not approve the change, which the change request shows", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ verdict: "changes_requested", forge });
    await expect(world.commands.merge(id, { note: "  " }, ADA)).rejects.toMatchObject({
      message: expect.stringContaining("the last review requests changes"),
      hint: expect.stringContaining("--note"),
    });
    expect(forge.merges).toEqual([]);
    expect(await world.commands.merge(id, { note: "only style" }, ADA)).toMatchObject({ status: "succeeded" });
    expect(forge.merges).toMatchObject([{ comment: expect.stringMatching(/ada .*requests changes: only style$/) }]);
    expect((await events(id)).map(({ summary }) => summary)).toContainEqual(
      expect.stringMatching(/^merge: decided by ada although .*: only style$/),
    );
  });
});

describe("merge at a forge", () => {
  it("merges exactly the published commit with the chosen method", async () => {
    const forge = scriptedForge();
    const { id, branch } = await waiting({ forge });
    const commit = await git(world.repo.remote, "rev-parse", branch!);
    await world.commands.merge(id, { method: "rebase" }, ADA);
    expect(forge.merges).toEqual([{ commit, method: "rebase", comment: null }]);
    expect((await world.ports.store.tasks.listChangeRequests([id])).get(id)).toMatchObject({ state: "merged" });
  });

  it.each([
    [{ headCommit: "e".repeat(40) }, /has other commits than the reviewed one/],
    [{ ci: "failed" }, /CI of .* failed/],
    [{ ci: "running" }, /CI of .* has not finished/],
    [{ hasConflict: true }, /conflicts with its target branch/],
    [{ state: "closed" }, /is closed/],
  ] as const)("is refused if the forge reports %j, and the task still waits", async (state, message) => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge });
    forge.state = { ...forge.state, ...state };
    await expect(world.commands.merge(id, {}, ADA)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\.$/),
    });
    expect(forge.merges).toEqual([]);
    expect(await read(id)).toMatchObject({ status: "waiting", waitingFor: { kind: "merge" } });
  });

  it("a rejection closes the change request with the reason, also if the forge fails at first", async () => {
    const forge = scriptedForge();
    forge.refusal = new ForgeError("unreachable", "no route to host");
    const { id } = await waiting({ forge });
    expect(await world.commands.reject(id, "too risky", ADA)).toMatchObject({ status: "cancelled" });
    const delivery = createDelivery({ ...world.ports, channels: withForgeChannels(world.ports) });
    const deliver = async () => {
      await clock.advance(3_600_000);
      await delivery.start();
    };
    const count = async (times: number) => {
      await expect.poll(async () => (await deliver(), forge.closed.length)).toBeGreaterThanOrEqual(times);
    };
    await count(2);
    forge.refusal = null;
    await expect
      .poll(async () => {
        await deliver();
        return (await world.ports.store.tasks.listChangeRequests([id])).get(id)?.state;
      })
      .toBe("closed");
    expect(new Set(forge.closed)).toEqual(new Set(["ada rejected this change in Nightshift: too risky"]));
    await delivery.stop();
  });
});

const problemOf = async (id: string) => {
  const { waitingFor } = await read(id);
  return waitingFor?.kind === "merge" ? (waitingFor.problem ?? null) : null;
};
const later = async (ports: EnginePorts, ms: number): Promise<void> => {
  await clock.advance(ms);
  await autoMerge(ports);
};

describe("gates.merge: auto", () => {
  it("merges a reviewed and checked change whose CI passed", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge, settings: "auto" });
    await autoMerge(world.ports);
    expect(await read(id)).toMatchObject({ status: "succeeded", outcome: "merged" });
    expect((await events(id)).find(({ type }) => type === "request.merged")?.actor).toMatchObject({ kind: "system" });
  });

  it("works without a forge", async () => {
    const { id } = await waiting({ settings: "auto" });
    await autoMerge(world.ports);
    expect(await read(id)).toMatchObject({ status: "succeeded", outcome: "merged" });
  });

  it("does nothing if a person has to merge", async () => {
    const { id } = await waiting();
    await autoMerge(world.ports);
    expect(await read(id)).toMatchObject({ status: "waiting" });
  });

  it("waits for a running CI as long as it takes, without asking a person", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge, settings: "auto" });
    forge.state = { ...forge.state, ci: "running" };
    for (let round = 0; round < 10; round += 1) await later(world.ports, 60_000);
    expect(await problemOf(id)).toMatchObject({ reason: expect.stringContaining("not finished"), tries: 0 });
    forge.state = { ...forge.state, ci: "passed" };
    await later(world.ports, 60_000);
    expect(await read(id)).toMatchObject({ status: "succeeded" });
  });

  it("waits a moment for a CI that has not started yet", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge, settings: "auto" });
    forge.state = { ...forge.state, ci: "none" };
    await autoMerge(world.ports);
    expect(await read(id)).toMatchObject({ status: "waiting" });
    await later(world.ports, 61_000);
    expect(await read(id)).toMatchObject({ status: "succeeded" });
  });

  it("tries a refused merge again with growing delays, and asks a person in the end", async () => {
    const forge = scriptedForge();
    forge.refusal = new ForgeError("refused", "A review is missing.", { obstacle: "reviews" });
    const { id } = await waiting({ forge, settings: "auto" });
    const waits = async () => (await events(id)).filter(({ type }) => type === "task.waiting");
    expect((await waits()).map(({ data }) => data["auto"])).toEqual([true]);
    await autoMerge(world.ports);
    await autoMerge(world.ports);
    expect(forge.merges).toHaveLength(1);
    for (let round = 0; round < 20; round += 1) await later(world.ports, 10 * 60_000);
    expect(forge.merges).toHaveLength(5);
    expect(await problemOf(id)).toEqual({ reason: "A review is missing.", tries: 5, retryAt: null });
    expect((await waits()).at(-1)).toMatchObject({
      summary: "waits for merge: A review is missing.",
      data: { kind: "merge" },
    });
    forge.refusal = null;
    expect(await world.commands.merge(id, {}, ADA)).toMatchObject({ status: "succeeded" });
  });

  it("asks a person at once if the review did not approve the change", async () => {
    const forge = scriptedForge();
    const { id } = await waiting({ forge, settings: "auto", verdict: "changes_requested" });
    await autoMerge(world.ports);
    expect(forge.merges).toEqual([]);
    expect(await problemOf(id)).toMatchObject({ retryAt: null, reason: expect.stringContaining("requests changes") });
  });

  it("ends the task after a crash between the merge and its commit, without a second merge", async () => {
    const forge = scriptedForge();
    let isCrashing = true;
    const { id } = await waiting({
      forge,
      settings: "auto",
      pass: (checkpoint) => {
        if (checkpoint === "change.merged" && isCrashing) throw new Error("the daemon stops");
      },
    });
    await autoMerge(world.ports);
    expect(await read(id)).toMatchObject({ status: "waiting" });
    isCrashing = false;
    await later(world.ports, 10 * 60_000);
    expect(await read(id)).toMatchObject({ status: "succeeded" });
  });
});
