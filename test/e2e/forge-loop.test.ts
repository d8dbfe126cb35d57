import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { reviewMark } from "../../src/core/forge/review-text.ts";
import { git, writeFiles, type Files } from "../../src/testing/temp-repo.ts";
import { ALICE } from "./night.ts";
import { openNightly, type Nightly } from "./nightly.ts";

/** Adds a line per run, keeps what the prompt said, and resolves conflicts. The reviewer approves everything. */
const AGENT = `
PROMPTS="$(dirname "$0")/prompts"
printf '%s\\n=====\\n' "$PROMPT" >> "$PROMPTS"
case $ROLE in
  review) report '{"outcome":"approved","summary":"good","comments":[]}';;
  *)
    case "$PROMPT" in
      *"conflict markers"*) sed -i '/^<<<<<<<\\|^=======\\|^>>>>>>>/d' notes.txt;;
      *) echo "line of $ROLE $NIGHTSHIFT_ATTEMPT" >> notes.txt;;
    esac
    implemented "wrote a line";;
esac`;

let night: Nightly;

async function open(kind: "github" | "gitlab", settings = ""): Promise<Task> {
  night = await openNightly({
    kind,
    agent: AGENT,
    settings: "checks:\n  test: { command: '! grep -q BROKEN notes.txt' }\n",
    forgeSettings: settings === "" ? ", react: { quiet: 1s }" : settings,
    timeoutMs: 60_000,
  });
  return merging((await night.submit({ pipeline: "chore", description: "Write a line." })).id);
}

const readPrompts = (): Promise<string> => readFile(join(night.repo.path, "prompts"), "utf8");

const merging = (id: string): Promise<Task> =>
  night.until(id, ({ waitingFor, status }) => waitingFor?.kind === "merge" || status === "failed");

/** Lets the engine look at the forge and waits until the task did something about it. */
async function reacted(task: Task, holds: (now: Task) => boolean = () => true): Promise<Task> {
  night.lookAgain("shop");
  await night.until(task.id, ({ version }) => version > task.version);
  return night.until(task.id, (now) => (now.waitingFor !== null || now.finishedAt !== null) && holds(now));
}

const head = (task: Task) => git(night.forge.bareDir, "rev-parse", task.branch ?? "");

/** A person's commit on the task's branch or, with `from`, instead of it. Made in a clone of their own. */
async function commitOnBranch({ branch }: Task, files: Files, from = `origin/${branch ?? ""}`): Promise<string> {
  const clone = join(night.repo.path, "person");
  await git(night.repo.path, "clone", "-q", night.forge.bareDir, clone);
  await git(clone, "checkout", "-q", "-B", "theirs", from);
  await writeFiles(clone, files);
  await git(clone, "add", ".");
  await git(clone, "-c", "user.name=Bob", "-c", "user.email=bob@example.com", "commit", "-qm", "by a person");
  await git(clone, "push", "-qf", "origin", `theirs:${branch ?? ""}`);
  return git(clone, "rev-parse", "theirs");
}

async function eventTypes(task: Task): Promise<readonly string[]> {
  const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
  return events.map(({ type }) => type).filter((type) => type.startsWith("request."));
}

afterEach(() => night.close());

describe.each(["github", "gitlab"] as const)("a task that waits for its merge at %s", (kind) => {
  const review = { kind: kind === "github" ? ("review" as const) : ("comment" as const), requestsChanges: true };

  it("repairs failed CI with the log, once, also after a restart", async () => {
    const task = await open(kind);
    night.forge.ci(1, "failed", "FAIL notes.test\nexpected two lines");
    const repaired = await reacted(task);
    expect(await night.path(task.id)).toContain("merging>implementing");
    expect((await night.runs(task.id)).map(({ role }) => role)).toContain("request_changes");
    expect(await readPrompts()).toContain("expected two lines");
    expect(await head(task)).not.toBe(task.published?.head);
    expect(repaired.published?.seen.ci).toBe(task.published?.head);
    const runs = (await night.runs(task.id)).length;
    await night.restart();
    const reads = night.forge.requests.length;
    night.lookAgain("shop");
    await expect.poll(() => night.forge.requests.length).toBeGreaterThan(reads + 2);
    expect((await night.runs(task.id)).length).toBe(runs);
    expect(await eventTypes(task)).toEqual(["request.ci_failed"]);
  });

  it("works in the comments of members, and ignores strangers, programs and itself", async () => {
    const task = await open(kind);
    const { comment } = night.forge;
    comment(1, { body: "IGNORE STRANGER", author: "mallory", ...review });
    comment(1, { body: "IGNORE BOT", author: kind === "github" ? "ci[bot]" : "project_1_bot", ...review });
    comment(1, { body: `${reviewMark("run_1")} IGNORE OWN`, author: "alice", ...review });
    const reads = night.forge.requests.length;
    night.lookAgain("shop");
    await expect.poll(() => night.forge.requests.length).toBeGreaterThan(reads + 3);
    comment(1, { body: "please write another line", author: "bob", file: null, ...review });
    await reacted(task);
    const prompts = await readPrompts();
    expect(prompts).toContain("please write another line");
    expect(prompts).not.toContain("IGNORE");
    expect(await eventTypes(task)).toEqual(["request.commented"]);
  });

  it("works in all comments of a discussion in one round", async () => {
    const task = await open(kind, ", react: { comments: all, quiet: 2s }");
    for (const number of [1, 2, 3]) {
      night.forge.comment(1, { body: `remark ${number}`, author: "bob", kind: "comment" });
      const reads = night.forge.requests.length;
      night.lookAgain("shop");
      await expect.poll(() => night.forge.requests.length, { timeout: 30_000 }).toBeGreaterThan(reads + 2);
    }
    await reacted(task);
    expect((await night.runs(task.id)).filter(({ role }) => role === "request_changes").length).toBeLessThan(3);
    const prompts = await readPrompts();
    for (const number of [1, 2, 3]) expect(prompts).toContain(`remark ${number}`);
  });

  it("takes over a commit of a person, checks and reviews it, and builds on it", async () => {
    const task = await open(kind);
    const theirs = await commitOnBranch(task, { "theirs.txt": "by hand\n" });
    const taken = await reacted(task);
    expect(taken.published).toMatchObject({ head: theirs, people: theirs });
    expect((await night.path(task.id)).slice(-4)).toEqual([
      "merging>checking",
      "checking>publishing",
      "publishing>reviewing",
      "reviewing>merging",
    ]);
    expect(await head(task)).toBe(theirs);
    night.forge.comment(1, { body: "another line please", author: "alice", ...review });
    await reacted(taken);
    const log = await git(night.forge.bareDir, "log", "--format=%s", "-2", task.branch ?? "");
    expect(log.split("\n")[1]).toBe("by a person");
    expect(await night.published(task, "theirs.txt")).toBe("by hand");
    expect(await night.published(task, "notes.txt")).toContain("line of request_changes");
  });

  it("asks what to do about a force-push, and restores its commits only after a person said so", async () => {
    const task = await open(kind);
    await night.forge.repo.git("push", "-qf", "origin", `main~1:refs/heads/${task.branch ?? ""}`);
    const asking = await reacted(task);
    expect(asking.waitingFor).toMatchObject({ kind: "choice", about: "branch" });
    expect(await head(task)).toBe(await night.forge.repo.git("rev-parse", "main~1"));
    await night.commands.choose(task.id, { option: "restore", note: "" }, ALICE);
    const restored = await merging(task.id);
    expect(restored.published).toMatchObject({ head: task.published?.head, people: null });
    expect(await head(task)).toBe(task.published?.head);
  });

  it("continues with a rewritten branch if a person says so", async () => {
    const task = await open(kind);
    const theirs = await commitOnBranch(task, { "instead.txt": "rewritten\n" }, "origin/main");
    expect((await reacted(task)).waitingFor).toMatchObject({ about: "branch" });
    await night.commands.choose(task.id, { option: "take_over", note: "" }, ALICE);
    const taken = await merging(task.id);
    expect(taken.published).toMatchObject({ head: theirs, people: theirs });
    expect(await head(task)).toBe(theirs);
  });

  it("lets the agent resolve a conflict with the base, which the rebase cannot resolve", async () => {
    const task = await open(kind);
    await night.forge.repo.commit({ "notes.txt": "notes\nby others\n" }, "others");
    const resolved = await reacted(task);
    expect(resolved.state).toBe("merging");
    expect(await night.published(task, "notes.txt")).toContain("by others");
    expect(await night.published(task, "notes.txt")).not.toContain("<<<<");
    expect(await night.published(task, "notes.txt")).toContain("line of implement 1");
    expect(await night.path(task.id)).toContain("checking>implementing");
    expect(await eventTypes(task)).toEqual(["request.conflict"]);
  });

  it("stays open and says why after the limit", async () => {
    let task = await open(kind);
    for (const round of [1, 2, 3, 4]) {
      night.forge.ci(1, "failed", `failure ${round}`);
      task = await reacted(task);
    }
    expect(task.waitingFor).toMatchObject({
      kind: "merge",
      problem: { reason: expect.stringContaining('limit "forge" of 3'), retryAt: null },
    });
    expect((await night.runs(task.id)).filter(({ role }) => role === "request_changes")).toHaveLength(3);
  });

  it("ends when the change request is merged by hand", async () => {
    const task = await open(kind);
    await night.forge.merge(1);
    expect(await reacted(task)).toMatchObject({ status: "succeeded", state: "done" });
  });

  it("does not react to what the project switched off", async () => {
    const task = await open(kind, ", react: { ci: false, comments: off }");
    night.forge.ci(1, "failed", "red");
    night.forge.comment(1, { body: "please change it", author: "bob", ...review });
    const reads = night.forge.requests.length;
    night.lookAgain("shop");
    await expect.poll(() => night.forge.requests.length).toBeGreaterThan(reads + 2);
    await night.forge.merge(1);
    expect(await reacted(task)).toMatchObject({ status: "succeeded" });
    expect(await eventTypes(task)).toEqual(["request.merged"]);
  });
});
