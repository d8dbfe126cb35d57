import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { filesBelow } from "../support/cleanup-checks.ts";
import { createUser, type User } from "../support/cli-user.ts";
import { createKilledDaemon, expectNoDoubleRuns, gated, statesOf, WAIT } from "../support/killed-daemon.ts";

const TOKEN = "glpat-Zx81-planted-token-of-the-test";

let user: User;
let forge: LoopbackForge;

afterEach(async () => {
  await user.cleanUp();
  await forge.close();
}, 60_000);

const agentProgram = (dir: string): string => `#!/bin/sh
cat > /dev/null
${gated(dir, "$NIGHTSHIFT_ROLE")}
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case $NIGHTSHIFT_ROLE in
  design) report '{"outcome":"design_ready","design":"A line more.","summary":"a design"}';;
  plan) report '{"outcome":"plan_complete","plan":"Add a line.","plan_summary":"a plan","subtasks":[]}';;
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
esac
`;

async function setUpProject(): Promise<void> {
  user = await createUser();
  forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN, files: { "notes.txt": "notes\n" } });
  const { repo } = user;
  await repo.git("remote", "set-url", "origin", forge.bareDir);
  await repo.git("fetch", "--quiet", "origin");
  await repo.git("reset", "--quiet", "--hard", "origin/main");
  const agent = join(repo.path, "gated.sh");
  await writeFile(agent, agentProgram(repo.path), { mode: 0o755 });
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
checks:
  quick: { command: "test -s notes.txt" }
  slow: { command: "${gated(repo.path, "check")}" }
forge: { kind: gitlab, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }
`,
  );
}

describe("feature: daemon that is killed", { timeout: 900_000 }, () => {
  it("in each state: the task ends as usual, and nothing happens twice", async () => {
    await setUpProject();
    const daemon = createKilledDaemon(user, { FORGE_TOKEN: TOKEN });
    const { call, show, approve, killDuring, killWhileWaiting, waitForDeath } = daemon;
    await call(["init", "--yes", "--no-run"]);
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
    await expect.poll(() => filesBelow(join(user.home, "workspaces")), WAIT).toEqual([]);
  });
});
