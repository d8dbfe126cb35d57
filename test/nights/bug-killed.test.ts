import { afterEach, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { createGatedProject, type GatedProject } from "../support/gated-project.ts";
import { expectNoDoubleRuns, gated, statesOf, WAIT } from "../support/killed-daemon.ts";

let project: GatedProject;

afterEach(() => project.close(), 60_000);

const INVESTIGATED = {
  outcome: "investigation_complete",
  summary: "it says too little",
  report: "The notes end too early.",
  options: [{ id: "opt-a", title: "Say more", description: "Add a line." }],
  subtasks: [],
};

const ROLES = `
  investigate) report '${JSON.stringify(INVESTIGATED)}';;
  plan) report '{"outcome":"plan_complete","plan":"Add a line.","plan_summary":"a plan","subtasks":[]}';;
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) echo more >> notes.txt; mkdir -p tests; echo "grep -q more notes.txt" > tests/more.sh
     report '{"outcome":"implemented","summary":"said more"}';;
`;

/** Waits on the change, and once more where the test of the fix runs on the base commit. */
const CHECKS = (dir: string): string =>
  `{ test: { command: "if grep -q more notes.txt; then ${gated(dir, "check")}; elif test -e tests/more.sh; then ${gated(dir, "proof")}; fi; for each in tests/*.sh; do test ! -f $each || sh $each || exit 1; done" } }`;

describe("bug: daemon that is killed", { timeout: 900_000 }, () => {
  it("in each state, and during the proof: the task ends as usual, and nothing happens twice", async () => {
    project = await createGatedProject({ roles: ROLES, checks: CHECKS });
    const { daemon, forge } = project;
    const { call, show, approve, killDuring, killWhileWaiting, waitForDeath } = daemon;
    const submitted = await call(["submit", "--pipeline", "bug", "The notes say too little", "--json"]);
    const { id } = JSON.parse(submitted) as TaskJson;
    await killDuring("investigate");
    await killWhileWaiting(id, "investigation_review");
    await call(["choose", id, "opt-a", "--then", "plan"]);
    await killDuring("plan");
    await approve(await killWhileWaiting(id, "plan_review"));
    await killDuring("implement");
    await killDuring("check");
    await killDuring("proof", "branch.pushed:1");
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

    // The test fails on the base commit, and is repeated once, because it could be flaky.
    expect(daemon.started()).toEqual(["investigate", "plan", "implement", "check", "proof", "proof", "review"]);
    const events = await daemon.events(id);
    expect(statesOf(events)).toEqual([
      "investigation_review",
      "planning",
      "plan_review",
      "implementing",
      "checking",
      "publishing",
      "reviewing",
      "merging",
      "done",
    ]);
    const proofs = events.filter(({ summary }) => summary.startsWith("check proof of the fix:"));
    expect(proofs.map(({ summary }) => summary)).toEqual(["check proof of the fix: proven"]);
    expectNoDoubleRuns(events);
    expect((await show(id)).runs).toHaveLength(6);
    expect(forge.changeRequests).toMatchObject([{ state: "merged" }]);
    expect(await git(forge.bareDir, "show", "main:notes.txt")).toBe("notes\nmore");
    await daemon.expectEmpty("workspaces");
  });
});
