import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createForge } from "../adapters/forges/create-forge.ts";
import { githubForge } from "../adapters/forges/github/definition.ts";
import { gitlabForge } from "../adapters/forges/gitlab/definition.ts";
import { reviewsOf, verdictFor } from "../core/task/documents/review.ts";
import type { Requester } from "../core/task/requester.ts";
import type { Task } from "../core/task/task.ts";
import { ADA } from "../testing/walk.ts";
import { openEngineWorld, type EngineWorld } from "../testing/engine/engine-world.ts";
import { openLoopbackForge, type LoopbackForge } from "../testing/forges/loopback-forge.ts";
import { createDelivery } from "./deliver/deliver.ts";
import { withForgeChannels } from "./deliver/forge-channels.ts";

let world: EngineWorld;
let loopback: LoopbackForge | null = null;
afterEach(async () => {
  await world.close();
  await loopback?.close();
  loopback = null;
});

const ALICE: Requester = { ...ADA, name: "alice", rights: ["approve"] };
const TOKEN = "test-token-0123456789abcdef";
const COMMENTS = [
  { file: "missing.txt", line: 700, severity: "nit", comment: "Should there be one?" },
  { file: "greeting.txt", line: 1, severity: "critical", comment: "Whom does it greet?" },
] as const;

interface Options {
  readonly kind?: "github" | "gitlab";
  readonly pipeline?: string;
  readonly settings?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A published change that waits for its merge, approved by the reviewing agent. */
async function waiting({ kind, pipeline = "feature", settings = "", files = {} }: Options = {}): Promise<Task> {
  const open =
    kind === undefined ? null : await openLoopbackForge({ kind, token: TOKEN, files: { "greeting.txt": "" } });
  loopback = open;
  const forge =
    open === null
      ? ""
      : `forge: { kind: ${kind}, url: "${open.url}", project: team/shop, token_env: FORGE_TOKEN${settings} }\n`;
  world = await openEngineWorld({
    ...(open !== null && { repo: open.repo }),
    files,
    settings: `gates: { plan: auto }\n${forge}`,
    script: ({ name, role, run }) => {
      if (name !== "agent") return {};
      if (role === "plan")
        return { report: { outcome: "plan_complete", plan: "Greet.", plan_summary: "Greet", subtasks: [] } };
      if (role === "review") return { report: { outcome: "approved", summary: "Fine.", comments: [] } };
      return {
        files: { "greeting.txt": `hello, ${role} ${run}\n` },
        report: {
          outcome: "implemented",
          summary: "Done.",
          ...(role === "request_changes" && { comments_answered: [{ comment: 1, answer: `ANSWER ${run}` }] }),
        },
      };
    },
    ...(open !== null && {
      over: () => ({
        forges: {
          open: (_project: unknown, { forge: given }: { readonly forge: unknown }) =>
            given === null
              ? null
              : createForge(kind === "github" ? githubForge : gitlabForge, {
                  settings: given as never,
                  remote: open.remoteUrl,
                  token: TOKEN,
                  pause: async () => undefined,
                }),
        },
      }),
    }),
  });
  const task = await world.drain((await world.submit({ pipeline })).id);
  expect(task).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
  return task;
}

async function read(id: string): Promise<Task> {
  const task = await world.ports.store.tasks.getTask(id);
  if (task === null) throw new Error(`no task ${id}`);
  return task;
}

async function promptOf(task: string, role: string): Promise<string> {
  const run = (await world.runs(task)).findLast((each) => each.role === role);
  return readFile(join(world.ports.runFiles.dir(run?.id ?? ""), "prompt.md"), "utf8");
}

function send({ id, headCommit }: Task, more: Partial<Parameters<EngineWorld["commands"]["comment"]>[1]> = {}) {
  return world.commands.comment(
    id,
    { commit: headCommit ?? "", summary: "Almost.", comments: COMMENTS, ...more },
    ALICE,
  );
}

describe("a person's review comments", () => {
  it("send the change back to its author, and reach the author, the next review and the context", async () => {
    const before = await waiting();
    const sent = await send(before);
    expect(sent).toMatchObject({ state: "implementing", status: "queued", waitingFor: null });
    expect((await world.runs(sent.id)).at(-1)).toMatchObject({
      role: "request_changes",
      trigger: { kind: "comments" },
    });
    expect(sent.context.at(-1)).toMatchObject({ kind: "review_feedback", source: "person", run: null });
    expect(verdictFor(sent, before.headCommit)).toMatchObject({ verdict: "changes_requested", by: "alice" });
    const after = await world.drain(sent.id);
    expect(after).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    const asked = await promptOf(sent.id, "request_changes");
    expect(asked).toContain("Almost.");
    expect(asked).toContain("1. [critical] greeting.txt:1: Whom does it greet?");
    expect(asked).toContain("2. [nit] missing.txt:700: Should there be one?");
    const next = await promptOf(sent.id, "review");
    expect(next).toMatch(/Review 2 of 2 of commit \w+, by a person \(alice\): changes requested/);
    expect(next).toContain("1. [critical] greeting.txt:1: Whom does it greet?\n   What the author did: ANSWER 0");
    expect(reviewsOf(after)).toMatchObject([
      { verdict: "approved", by: null },
      { verdict: "changes_requested", by: "alice", comments: [{ answer: "ANSWER 0" }, { answer: null }] },
      { verdict: "approved", commit: after.headCommit },
    ]);
    const events = await world.ports.store.events.listEvents({ after: 0, task: sent.id, limit: 1000 });
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "task.decided",
        actor: expect.objectContaining({ name: "alice" }),
        data: { decision: "changes_requested" },
      }),
    );
  });

  it("are not limited by the rounds of the reviewing agents", async () => {
    let task = await waiting();
    for (const round of [1, 2, 3, 4]) {
      await send(task);
      task = await world.drain(task.id);
      expect(task, `round ${round}`).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    }
    expect(task.counters).not.toHaveProperty("review");
    expect(task.counters).toMatchObject({ "ran:request_changes": 4 });
  });

  it("are refused and nothing is lost if the change moved on since it was shown", async () => {
    const seen = await waiting();
    await send(seen);
    const moved = await world.drain(seen.id);
    await expect(send(seen)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(/moved on since it was shown.*Nothing was sent/),
    });
    expect(await read(seen.id)).toMatchObject({ state: "merging", version: moved.version });
    await expect(send(moved, { commit: moved.headCommit?.slice(0, 11) ?? "" })).rejects.toMatchObject({
      kind: "conflict",
    });
    expect(await send(moved, { commit: moved.headCommit?.slice(0, 12) ?? "" })).toMatchObject({
      state: "implementing",
    });
  });

  it("have one effect if the same request is repeated, also when the change waits again", async () => {
    const task = await waiting();
    await send(task, { key: "k1" });
    const again = await send(task, { key: "k1" });
    expect(again).toMatchObject({ state: "implementing" });
    const after = await world.drain(task.id);
    expect(await send(task, { key: "k1" })).toMatchObject({ state: "merging", updatedAt: after.updatedAt });
    expect(reviewsOf(after).filter(({ by }) => by === "alice")).toHaveLength(1);
    expect((await world.runs(task.id)).filter(({ role }) => role === "request_changes")).toHaveLength(1);
  });

  it("need some text, and a file for a line", async () => {
    const task = await waiting();
    await expect(send(task, { summary: " \n", comments: [] })).rejects.toMatchObject({ kind: "invalid" });
    const blank = [{ severity: "nit", comment: " " }] as const;
    await expect(send(task, { comments: blank })).rejects.toThrow(/A comment is empty/);
    const nowhere = [{ line: 3, severity: "nit", comment: "here" }] as const;
    await expect(send(task, { comments: nowhere })).rejects.toThrow(/names no file/);
    expect(await read(task.id)).toMatchObject({ version: task.version });
    await send(task, { summary: "", comments: COMMENTS.slice(0, 1) });
    expect(reviewsOf(await read(task.id)).at(-1)?.summary).toBe("1 comment on the change.");
  });

  it("are refused with the possible actions where no change waits", async () => {
    const task = await waiting();
    await world.commands.cancel(task.id, { ...ALICE, rights: ["admin"] });
    await expect(send(task)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("There is nothing to comment on"),
      hint: expect.stringContaining("follow-up"),
    });
  });

  it("are refused by a pipeline without an edge for them, which names the way around", async () => {
    const own = `name: own
start: implementing
states:
  implementing: { agent: implement, on: { implemented: checking, no_changes: failed } }
  checking: { checks: true, on: { checks_passed: publishing, checks_failed: failed, policy_failed: failed } }
  publishing: { publish: true, on: { published: merging } }
  merging: { wait: merge, on: { merged: done, closed: cancelled, reject: cancelled } }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;
    const task = await waiting({ pipeline: "own", files: { ".nightshift/pipelines/own.yaml": own } });
    await expect(send(task)).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("has no target for changes_requested"),
      hint: expect.stringMatching(/follow-up.*Possible now: merge, follow-up, reject, cancel/s),
    });
    expect(await read(task.id)).toMatchObject({ state: "merging", version: task.version });
  });
});

function byAlice() {
  const posted = (loopback?.changeRequests ?? []).flatMap((request) => request.comments);
  return posted.filter(({ body }) => body.includes("alice"));
}

describe.each(["github", "gitlab"] as const)("a person's review at %s", (kind) => {
  it("is posted once, with a comment on the line, also if the forge fails at first", async () => {
    const task = await waiting({ kind, pipeline: "chore" });
    loopback?.fail({ method: "POST", path: /(reviews|notes|discussions)$/, status: 503, times: 1 });
    await send(task, { summary: "Almost, @bob. Fixes #12." });
    const { clock, store } = world.ports;
    const delivery = createDelivery({
      ...world.ports,
      clock: { ...clock, now: () => clock.now() + 3_600_000 },
      channels: withForgeChannels(world.ports),
    });
    const isPending = async () => {
      await delivery.start();
      return (await store.outbox.listTaskNotices(task.id)).some(
        ({ channel, deliveredAt }) => channel === "change request review" && deliveredAt === null,
      );
    };
    await expect.poll(isPending, { timeout: 20_000 }).toBe(false);
    await delivery.stop();
    expect(
      byAlice()
        .map(({ file, line }) => `${file}:${line}`)
        .toSorted(),
    ).toEqual(["greeting.txt:1", "null:null"]);
    const text = byAlice().find(({ file }) => file === null)?.body ?? "";
    expect(text).toContain("**Review by alice** in Nightshift");
    expect(text).toContain("`missing.txt:700` **nit**: Should there be one?");
    expect(text).not.toMatch(/@bob|Fixes #12|AI agent/);
  });

  it("is not posted if the project does not want reviews there", async () => {
    const task = await waiting({ kind, pipeline: "chore", settings: ", reviews: off" });
    expect(await send(task)).toMatchObject({ state: "implementing" });
    expect((await world.ports.store.outbox.listTaskNotices(task.id)).map(({ channel }) => channel)).not.toContain(
      "change request review",
    );
  });
});
