import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import type { ForgeSettings } from "../../../core/settings/settings.ts";
import type { ChangeRequestDraft, Forge } from "../../../ports/forge.ts";
import { openLoopbackForge } from "../../../testing/forges/loopback-forge.ts";
import type { LoopbackForge, LoopbackParams } from "../../../testing/forges/loopback-forge.ts";
import { exampleResponse } from "../../../testing/forges/openapi-check.ts";
import { checkRunVerdict, combine, commitStatusVerdict } from "../shared/ci.ts";
import * as schemas from "./schemas.ts";
import { createForge } from "../create-forge.ts";
import { githubForge } from "./definition.ts";

const TOKEN = "test-token-0123456789abcdef";
const settings: ForgeSettings = {
  kind: "github",
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
  labels: [],
  reviewer: null,
  assignee: null,
  draft: false,
};

describe("GitHub schemas accept the examples of GitHub's API description", () => {
  const repo = "/repos/{owner}/{repo}";
  test.each<[string, string, z.ZodType]>([
    ["get", repo, schemas.repository],
    ["get", `${repo}/pulls`, schemas.pull.array()],
    ["post", `${repo}/pulls`, schemas.pull],
    ["get", `${repo}/pulls/{pull_number}`, schemas.fullPull],
    ["get", `${repo}/pulls/{pull_number}/reviews`, schemas.review.array()],
    ["get", `${repo}/pulls/{pull_number}/comments`, schemas.reviewComment.array()],
    ["get", `${repo}/issues/{issue_number}/comments`, schemas.issueComment.array()],
    ["post", `${repo}/issues/{issue_number}/assignees`, schemas.assigneesResponse],
    ["get", `${repo}/commits/{ref}/status`, schemas.combinedStatus],
    ["get", `${repo}/commits/{ref}/check-runs`, schemas.checkRuns],
  ])("%s %s", async (method, template, schema) => {
    const example = await exampleResponse(method, template);
    expect(example).toBeDefined();
    expect(schema.safeParse(example).error).toBeUndefined();
  });
});

describe("GitHub forge", () => {
  let loopback: LoopbackForge;
  let forge: Forge;

  const start = async (params: Partial<LoopbackParams>) => {
    await loopback?.close();
    loopback = await openLoopbackForge({ kind: "github", token: TOKEN, ...params });
    const { repo, url, bareDir } = loopback;
    await repo.git("commit", "--quiet", "--allow-empty", "-m", "other");
    await repo.git("push", "--quiet", "origin", "HEAD:other");
    forge = createForge(githubForge, {
      settings: { ...settings, url },
      remote: bareDir,
      token: TOKEN,
      pause: async () => {},
    });
  };
  beforeEach(() => start({}));
  afterEach(() => loopback.close());

  test("opens a regular pull request with a warning if drafts are not supported", async () => {
    await start({ draftsAllowed: false });
    const published = await forge.publish({ ...draft, draft: true });
    expect(published).toMatchObject({
      isNew: true,
      warnings: [expect.stringContaining("does not support draft pull requests")],
    });
  });

  test("warns about a label that GitHub rejects", async () => {
    const { warnings } = await forge.publish({ ...draft, labels: ["x".repeat(60)] });
    expect(warnings).toEqual([expect.stringMatching(/labels x+ were not added.*GitHub's response/)]);
  });

  test("requests the review of a team", async () => {
    await forge.publish({ ...draft, reviewer: "acme/reviewers" });
    const request = loopback.requests.find(({ path }) => path.endsWith("/requested_reviewers"));
    expect(request?.body).toEqual({ team_reviewers: ["reviewers"] });
  });

  test("reports GitHub's message for a branch without new commits", async () => {
    await loopback.repo.git("push", "--quiet", "--force", "origin", "HEAD:main");
    const refused = { trouble: "refused", message: expect.stringContaining("No commits between main and other") };
    await expect(forge.publish(draft)).rejects.toMatchObject(refused);
  });

  test("reads commit statuses if the token cannot read check runs", async () => {
    const { number } = await forge.publish(draft);
    loopback.fail({ path: /check-runs$/, status: 403 });
    loopback.fail({ path: /status$/, status: 200, body: { statuses: [{ state: "failure" }, { state: "pending" }] } });
    expect((await forge.read(number)).ci).toBe("failed");
  });

  test("reports an unknown conflict state while GitHub computes it, and ignores the test merge commit", async () => {
    const { number } = await forge.publish(draft);
    const response = await fetch(`${loopback.url}/api/v3/repos/team/shop/pulls/1`, {
      headers: { authorization: `token ${TOKEN}` },
    });
    const testMerge = { mergeable: null, mergeable_state: "unknown", merge_commit_sha: "a".repeat(40) };
    const body = { ...((await response.json()) as object), ...testMerge };
    loopback.fail({ path: /pulls\/1$/, status: 200, body });
    expect(await forge.read(number)).toMatchObject({ hasConflict: null, mergeCommit: null, state: "open" });
  });

  test("sends the token in one header and a user agent", async () => {
    await forge.listOpen("x");
    expect(loopback.requests[0]?.headers).toMatchObject({
      authorization: `token ${TOKEN}`,
      "user-agent": expect.stringContaining("nightshift"),
      "x-github-api-version": "2022-11-28",
    });
  });
});

describe("GitHub CI state", () => {
  test.each([
    ["none", []],
    ["none", [{ status: "completed", conclusion: "skipped" }]],
    ["running", [{ status: "queued", conclusion: null }]],
    ["running", [{ status: "completed", conclusion: "cancelled" }]],
    [
      "running",
      [
        { status: "completed", conclusion: "action_required" },
        { status: "completed", conclusion: "success" },
      ],
    ],
    [
      "failed",
      [
        { status: "in_progress", conclusion: null },
        { status: "completed", conclusion: "timed_out" },
      ],
    ],
    [
      "passed",
      [
        { status: "completed", conclusion: "neutral" },
        { status: "completed", conclusion: "skipped" },
      ],
    ],
  ] as const)("is %s for %j", (expected, runs) => {
    expect(combine(runs.map(checkRunVerdict))).toBe(expected);
  });

  test("maps commit statuses", () => {
    expect(["success", "failure", "error", "pending"].map(commitStatusVerdict)).toEqual([
      "passed",
      "failed",
      "failed",
      "waiting",
    ]);
  });
});
