import { afterEach, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { createGatedProject, type GatedProject } from "../support/gated-project.ts";
import { expectNoDoubleRuns, gated, statesOf, WAIT } from "../support/killed-daemon.ts";

let project: GatedProject;

afterEach(() => project.close(), 60_000);

const ROLES = `
  design) report '{"outcome":"design_ready","design":"A line more.","summary":"a design"}';;
  plan) report '{"outcome":"plan_complete","plan":"Add a line.","plan_summary":"a plan","subtasks":[]}';;
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
`;

const CHECKS = (dir: string): string =>
  `{ quick: { command: "test -s notes.txt" }, slow: { command: "${gated(dir, "check")}" } }`;

describe("feature: daemon that is killed", { timeout: 900_000 }, () => {
  it("in each state: the task ends as usual, and nothing happens twice", async () => {
    project = await createGatedProject({ roles: ROLES, checks: CHECKS });
    const { daemon, forge } = project;
    const { call, show, approve, killDuring, killWhileWaiting, waitForDeath } = daemon;
    const submitted = await call(["submit", "--pipeline", "feature", "--design", "Say more", "--json"]);
    const { id } = JSON.parse(submitted) as TaskJson;
    await killDuring("design");
    await approve(await killWhileWaiting(id, "design_review"));
    await killDuring("plan");
    await approve(await killWhileWaiting(id, "plan_review"));
    await killDuring("implement");
    await killDuring("check", "branch.pushed:1");
    await waitForDeath(); // publishing, after the push
    await call(["start"], "request.opened:1").catch(() => "");
    await waitForDeath(); // publishing, after the change request was opened
    await call(["start"]);
    await killDuring("review");
    await killWhileWaiting(id, "merging", "change.merged:1");
    await call(["merge", id]).catch(() => "");
    await waitForDeath(); // after the merge
    await call(["start"]);
    await expect.poll(async () => (await show(id)).status, WAIT).toBe("succeeded");

    expect(daemon.started()).toEqual(["design", "plan", "implement", "check", "review"]);
    const events = await daemon.events(id);
    expect(statesOf(events)).toEqual([
      "design_review",
      "planning",
      "plan_review",
      "implementing",
      "checking",
      "publishing",
      "reviewing",
      "merging",
      "done",
    ]);
    const checks = events.filter(({ type, data }) => type.startsWith("check.") && data["log"] !== undefined);
    expect(checks.map(({ summary }) => summary)).toEqual([
      "check quick started",
      "check quick: passed",
      "check slow started",
      "check slow: passed",
    ]);
    expectNoDoubleRuns(events);
    expect((await show(id)).runs).toHaveLength(6);
    expect(forge.changeRequests).toMatchObject([{ state: "merged" }]);
    expect(await git(forge.bareDir, "show", "main:notes.txt")).toBe("notes\nmore");
    await daemon.expectEmpty("workspaces");
  });
});
