import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ForgeSettings } from "../../../core/settings/settings.ts";
import type { ChangeRequestDraft, Forge } from "../../../ports/forge.ts";
import { openLoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import type { LoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import { createForge } from "../create-forge.ts";
import { gitlabForge } from "./definition.ts";
import { escapeQuickActions } from "../shared/texts.ts";

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
  react: { ci: true, comments: "changes_requested", quietMs: 60_000 },
  reviews: "post",
  usesOwnLogin: true,
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

describe("GitLab forge", () => {
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

  /** Makes the next response about the merge request have these fields. */
  const respondWith = async (changes: object) => {
    const url = `${loopback.url}/api/v4/projects/4711/merge_requests/1`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const body = { ...((await response.json()) as object), ...changes };
    loopback.fail({ path: /merge_requests\/1$/, status: 200, body });
  };

  test("escapes quick actions in a description", async () => {
    const body = "## Summary\n/close\n\n  /merge\n/assign @bob\nnot /close here\n/usr/bin is a path";
    const { number } = await forge.publish({ ...draft, body });
    await forge.publish({ ...draft, body: "/close\r\n" });
    expect(await forge.read(number)).toMatchObject({ state: "open" });
    expect(escapeQuickActions(body).split("\n")).toEqual([
      "## Summary",
      "\\/close",
      "",
      "  \\/merge",
      "\\/assign @bob",
      "not /close here",
      "\\/usr/bin is a path",
    ]);
  });

  test("marks a draft by a single prefix in the title", async () => {
    await forge.publish({ ...draft, title: "Draft: Title", draft: true });
    expect(loopback.changeRequests[0]).toMatchObject({ title: "Draft: Title", draft: true });
    await forge.publish({ ...draft, title: "Better", draft: false });
    expect(loopback.changeRequests[0]).toMatchObject({ title: "Draft: Better", draft: true });
  });

  test("warns about a label with a comma and sets the others", async () => {
    const { warnings } = await forge.publish({ ...draft, labels: ["a,b", "c"] });
    expect(warnings).toEqual(['The label "a,b" was not added: GitLab does not allow commas in labels.']);
    expect(loopback.changeRequests[0]?.labels).toEqual(["c"]);
  });

  test("warns about a reviewer that GitLab ignores", async () => {
    loopback.fail({ path: /^\/users$/, status: 200, body: [{ id: 77, username: "carol" }] });
    const { warnings } = await forge.publish({ ...draft, reviewer: "@carol" });
    expect(warnings).toEqual([expect.stringContaining("@carol was not added as reviewer: GitLab ignored them")]);
  });

  test("sends only fields that changed", async () => {
    await forge.publish({ ...draft, reviewer: "alice" });
    await forge.publish({ ...draft, reviewer: "alice" });
    const changes = loopback.requests.filter(({ method }) => method === "PUT").map(({ body }) => Object.keys(body));
    expect(changes).toEqual([["reviewer_ids"], ["title", "description"]]);
  });

  test.each<[string, object, object]>([
    [
      "reads the head as merge commit of a fast-forward",
      { state: "merged", sha: "b".repeat(40) },
      { mergeCommit: "b".repeat(40) },
    ],
    [
      "reads the squash commit",
      { state: "merged", squash_commit_sha: "c".repeat(40) },
      { mergeCommit: "c".repeat(40), state: "merged" },
    ],
    ["reports a merge request that is being merged as open", { state: "locked" }, { state: "open", mergeCommit: null }],
    [
      "reports an unknown conflict state while GitLab checks it",
      { detailed_merge_status: "checking" },
      { hasConflict: null },
    ],
    [
      "reports an unknown conflict state for old servers",
      { detailed_merge_status: null, merge_status: "unchecked" },
      { hasConflict: null },
    ],
    ["ignores the pipeline of a previous commit", { head_pipeline: pipeline("failed", "x") }, { ci: "none" }],
    [
      "reads a merged results pipeline",
      { head_pipeline: { ...pipeline("failed", "x"), ref: "refs/merge-requests/1/merge" } },
      { ci: "failed" },
    ],
    ["returns an empty head while GitLab has none", { sha: null }, { headCommit: "" }],
  ])("%s", async (_, changes, expected) => {
    await forge.publish(draft);
    await respondWith(changes);
    expect(await forge.read(1)).toMatchObject(expected);
  });

  test.each([
    ["success", "passed"],
    ["failed", "failed"],
    ["skipped", "none"],
    ["manual", "running"],
    ["canceled", "running"],
    ["created", "running"],
  ])("maps the pipeline status %s to %s", async (status, ci) => {
    await forge.publish(draft);
    await respondWith({ head_pipeline: pipeline(status, loopback.changeRequests[0]?.headCommit ?? "") });
    expect((await forge.read(1)).ci).toBe(ci);
  });

  test("follows pages by number and ignores the URL", async () => {
    const link = '<http://elsewhere.example/api?page=2>; rel="next"';
    loopback.fail({ path: /merge_requests$/, status: 200, body: "[]", headers: { link } });
    expect(await forge.listOpen("night-shift")).toEqual([]);
    expect(loopback.requests.map(({ query }) => query["page"])).toEqual([undefined, "1", "2"]);
  });
});

function pipeline(status: string, sha: string): object {
  return { id: 1, sha, ref: "other", status };
}
