import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ForgeSettings } from "../../../core/settings/settings.ts";
import type { ChangeRequestDraft, Forge } from "../../../ports/forge.ts";
import { openLoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import type { LoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import { createForge } from "../create-forge.ts";
import { gitlabForge } from "./definition.ts";
import { withoutQuickActions } from "../shared/texts.ts";

const TOKEN = "test-token-0123456789abcdef";
const settings: ForgeSettings = {
  kind: "gitlab",
  url: null,
  project: "team/shop",
  tokenEnv: null,
  webhookSecretEnv: null,
  reviewer: null,
  assignee: null,
  labels: [],
  draft: false,
  options: {},
};
const draft: ChangeRequestDraft = {
  branch: "other",
  commit: "0".repeat(40),
  target: "main",
  title: "Title",
  body: "Text",
  labels: ["night-shift"],
  reviewer: null,
  assignee: null,
  draft: false,
};

describe("GitLab's ways", () => {
  let loopback: LoopbackForge;
  let forge: Forge;

  beforeEach(async () => {
    loopback = await openLoopbackForge({ kind: "gitlab", token: TOKEN });
    const { repo, url, bareDir } = loopback;
    await repo.git("commit", "--quiet", "--allow-empty", "-m", "other");
    await repo.git("push", "--quiet", "origin", "HEAD:other");
    forge = createForge(gitlabForge, {
      settings: { ...settings, url },
      remote: bareDir,
      token: TOKEN,
      pause: async () => {},
    });
  });
  afterEach(() => loopback.close());

  /** The next answer about the merge request, with these fields changed. */
  const answerWith = async (changes: object) => {
    const url = `${loopback.url}/api/v4/projects/4711/merge_requests/1`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const body = { ...((await answer.json()) as object), ...changes };
    loopback.fail({ path: /merge_requests\/1$/, status: 200, body });
  };

  test("a description cannot give orders", async () => {
    const body = "## Summary\n/close\n\n  /merge\n/assign @bob\nnot /close here\n/usr/bin is a path";
    const { number } = await forge.publish({ ...draft, body });
    await forge.publish({ ...draft, body: "/close\r\n" });
    expect(await forge.read(number)).toMatchObject({ state: "open" });
    expect(withoutQuickActions(body).split("\n")).toEqual([
      "## Summary",
      "\\/close",
      "",
      "  \\/merge",
      "\\/assign @bob",
      "not /close here",
      "\\/usr/bin is a path",
    ]);
  });

  test("a draft is one by its title, once", async () => {
    await forge.publish({ ...draft, title: "Draft: Title", draft: true });
    expect(loopback.changeRequests[0]).toMatchObject({ title: "Draft: Title", draft: true });
    await forge.publish({ ...draft, title: "Better", draft: false });
    expect(loopback.changeRequests[0]).toMatchObject({ title: "Draft: Better", draft: true });
  });

  test("a label with a comma is a warning, and the others are set", async () => {
    const { warnings } = await forge.publish({ ...draft, labels: ["a,b", "c"] });
    expect(warnings).toEqual(['The label "a,b" was not added: GitLab takes no comma in a label.']);
    expect(loopback.changeRequests[0]?.labels).toEqual(["c"]);
  });

  test("a reviewer whom GitLab leaves out is a warning", async () => {
    loopback.fail({ path: /^\/users$/, status: 200, body: [{ id: 77, username: "carol" }] });
    const { warnings } = await forge.publish({ ...draft, reviewer: "@carol" });
    expect(warnings).toEqual([expect.stringContaining("@carol was not asked to review: GitLab left them out")]);
  });

  test("what stands as it should is not sent again", async () => {
    await forge.publish({ ...draft, reviewer: "alice" });
    await forge.publish({ ...draft, reviewer: "alice" });
    const changes = loopback.requests.filter(({ method }) => method === "PUT").map(({ body }) => Object.keys(body));
    expect(changes).toEqual([["reviewer_ids"], ["title", "description"]]);
  });

  test.each<[string, object, object]>([
    [
      "a fast-forward has no commit of its own",
      { state: "merged", sha: "b".repeat(40) },
      { mergeCommit: "b".repeat(40) },
    ],
    [
      "a squash has",
      { state: "merged", squash_commit_sha: "c".repeat(40) },
      { mergeCommit: "c".repeat(40), state: "merged" },
    ],
    ["one that is just being merged is open", { state: "locked" }, { state: "open", mergeCommit: null }],
    ["a conflict is unknown while GitLab looks", { detailed_merge_status: "checking" }, { hasConflict: null }],
    ["also for old servers", { detailed_merge_status: null, merge_status: "unchecked" }, { hasConflict: null }],
    ["a pipeline of a commit before does not count", { head_pipeline: pipeline("failed", "x") }, { ci: "none" }],
    [
      "a pipeline of the merged result does",
      { head_pipeline: { ...pipeline("failed", "x"), ref: "refs/merge-requests/1/merge" } },
      { ci: "failed" },
    ],
    ["a head that GitLab does not know yet", { sha: null }, { headCommit: "" }],
  ])("%s", async (_, changes, expected) => {
    await forge.publish(draft);
    await answerWith(changes);
    expect(await forge.read(1)).toMatchObject(expected);
  });

  test.each([
    ["success", "passed"],
    ["failed", "failed"],
    ["skipped", "none"],
    ["manual", "running"],
    ["canceled", "running"],
    ["created", "running"],
  ])("a pipeline that is %s: %s", async (status, ci) => {
    await forge.publish(draft);
    await answerWith({ head_pipeline: pipeline(status, loopback.changeRequests[0]?.headCommit ?? "") });
    expect((await forge.read(1)).ci).toBe(ci);
  });

  test("pages are followed by their number alone", async () => {
    const link = '<http://elsewhere.example/api?page=2>; rel="next"';
    loopback.fail({ path: /merge_requests$/, status: 200, body: "[]", headers: { link } });
    expect(await forge.listOpen("night-shift")).toEqual([]);
    expect(loopback.requests.map(({ query }) => query["page"])).toEqual([undefined, "1", "2"]);
  });
});

function pipeline(status: string, sha: string): object {
  return { id: 1, sha, ref: "other", status };
}
