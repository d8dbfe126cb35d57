import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { DaemonFile } from "../../src/daemon/daemon-file.ts";
import { createClient, type TaskJson } from "../../src/http/client/client.ts";
import { createGatedProject, type GatedProject } from "../support/gated-project.ts";
import { expectNoDoubleRuns, WAIT } from "../support/killed-daemon.ts";

let project: GatedProject;

afterEach(() => project.close(), 60_000);

const ANSWERED =
  '{"outcome":"implemented","summary":"Handled.","comments_answered":[{"comment":1,"answer":"It says hi now."}]}';
const ROLES = `
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  request_changes) echo hi >> notes.txt; report '${ANSWERED}';;
  *) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
`;

/** A chore that waits for its merge. The agent that works on comments waits to be released. */
async function openMergeGate(): Promise<TaskJson> {
  project = await createGatedProject({ roles: ROLES, checks: () => `{ quick: { command: "test -s notes.txt" } }` });
  const { daemon } = project;
  for (const name of ["implement", "review"]) daemon.release(name);
  const submitted = await daemon.call(["submit", "--pipeline", "chore", "Say more", "--json"]);
  const { id } = JSON.parse(submitted) as TaskJson;
  return await waitForMergeGate(id);
}

async function waitForMergeGate(id: string): Promise<TaskJson> {
  const { daemon } = project;
  await expect.poll(async () => (await daemon.show(id)).waiting_for?.kind, WAIT).toBe("merge");
  return await daemon.show(id);
}

function findReviews(): readonly string[] {
  return project.forge.changeRequests.flatMap(({ comments }) =>
    comments.filter(({ body }) => !body.includes("AI agent")).map(({ file, line }) => `${file}:${line}`),
  );
}

const POSTED = ["notes.txt:2", "null:null"];

/** The agent must not push before: comments have lines only as long as the change request has the commit that they are about. */
async function workAfterReviewIsPosted(): Promise<void> {
  await expect.poll(() => findReviews().toSorted(), WAIT).toEqual(POSTED);
  project.daemon.release("request_changes");
}

function rolesOf({ runs }: TaskJson): readonly (string | null)[] {
  return runs.filter(({ step }) => step === "agent").map(({ role }) => role);
}

it(
  "comments: an agent works on them, the reviewer sees what was done, and the forge has them",
  { timeout: 200_000 },
  async () => {
    const { id, head_commit: seen } = await openMergeGate();
    const { user } = project;
    const sent = await user.run(
      "comment",
      id,
      "Almost.",
      "--at",
      "notes.txt:2 [critical] Say hi.",
      "--at",
      "other.txt:9 Used?",
    );
    expect(sent.code).toBe(0);
    await workAfterReviewIsPosted();
    const task = await waitForMergeGate(id);
    expect(task).toMatchObject({ state: "merging", waiting_for: { kind: "merge" } });
    expect(task.head_commit).not.toBe(seen);
    expect(rolesOf(task)).toEqual(["implement", "review", "request_changes", "review"]);
    expect(task.reviews).toMatchObject([
      { verdict: "approved", by: null, commit: seen },
      {
        verdict: "changes_requested",
        by: expect.stringMatching(/\w/),
        run: null,
        commit: seen,
        summary: "Almost.",
        comments: [
          { file: "notes.txt", line: 2, severity: "critical", answer: "It says hi now." },
          { file: "other.txt", line: 9, severity: "suggestion", answer: null },
        ],
      },
      { verdict: "approved", by: null, is_current: true },
    ]);
    const prompt = await readFile(join(user.home, "runs", task.runs.at(-1)?.id ?? "", "prompt.md"), "utf8");
    expect(prompt).toContain("1. [critical] notes.txt:2: Say hi.\n   What the author did: It says hi now.");
    const shown = await user.run("show", id);
    expect(shown.stdout).toMatch(/changes requested by \S+ at/);
    expect(shown.stdout).toContain("→ It says hi now.");

    const outdated = await user.run("comment", id, "Again.", "--commit", (seen ?? "").slice(0, 12));
    expect(outdated).toMatchObject({ code: 1 });
    expect(outdated.stderr).toContain("moved on since it was shown");
    const merged = await user.run("reject", id, "enough");
    expect(merged.code).toBe(0);
    const ended = await user.run("comment", id, "Too late.", "--json");
    expect(ended.code).toBe(1);
    expect(ended.stderr + ended.stdout).toContain("follow-up");
  },
);

it("comments: a daemon that dies before it answers has sent them once", { timeout: 200_000 }, async () => {
  const { id, head_commit } = await openMergeGate();
  const { daemon, user } = project;
  await daemon.kill();
  await daemon.call(["start"], "comments.committed:1");
  const body = {
    commit: head_commit ?? "",
    summary: "Almost.",
    comments: [{ file: "notes.txt", line: 2, severity: "critical" as const, comment: "Say hi." }],
  };
  const send = () => {
    const { url, token } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as DaemonFile;
    const client = createClient({ url, token });
    return client.call("POST /tasks/:id/comments", { params: { id }, body, idempotencyKey: "one-review" });
  };
  await expect(send()).rejects.toThrow(/./);
  await daemon.waitForDeath();
  await daemon.call(["start"]);
  // At once, and when the change waits again.
  await send();
  await workAfterReviewIsPosted();
  await waitForMergeGate(id);
  await send();
  const task = await daemon.show(id);
  expect(task).toMatchObject({ state: "merging", waiting_for: { kind: "merge" } });
  expect(rolesOf(task)).toEqual(["implement", "review", "request_changes", "review"]);
  expect(task.reviews.map(({ verdict }) => verdict)).toEqual(["approved", "changes_requested", "approved"]);
  expectNoDoubleRuns(await daemon.events(id));
  expect(findReviews().toSorted()).toEqual(POSTED);
});
