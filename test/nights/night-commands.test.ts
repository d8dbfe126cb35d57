import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ImprovePreviewJson, SchedulesJson, TaskJson } from "../../src/http/client/client.ts";
import { createUser, waitForExit, type User } from "../support/cli-user.ts";

let user: User;

/** Finds and implements something only in the category `refactoring`. */
const AGENT = `#!/bin/sh
prompt=$(cat)
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case $NIGHTSHIFT_ROLE in
  analyze) case "$prompt" in
    *"category **refactoring"*) report '{"outcome":"improvement_found","category":"refactoring","candidates":[{"rank":1,"title":"Say more","files":["notes.txt"],"description":"d","rationale":"r"}],"selected":1}';;
    *) report '{"outcome":"no_improvement","reason":"all is well","files_scanned":3}';;
  esac;;
  implement) echo more >> notes.txt; report '{"outcome":"implemented","summary":"said more"}';;
  verify) report '{"outcome":"verified","summary":"it does"}';;
  describe) report '{"outcome":"described","title":"Say more","summary":"s","reasoning":"r","changes":"- c","commit_message":"docs: say more"}';;
esac
`;

beforeEach(async () => {
  user = await createUser();
  const agent = join(user.repo.path, "nightly.sh");
  await writeFile(agent, AGENT);
  await chmod(agent, 0o755);
  await user.repo.commit({ "notes.txt": "notes\n" }, "notes");
  await user.repo.commit({ "newer.txt": "newer\n" }, "newer");
  const settings = `project: shop
time_zone: UTC
agent: mine
agents: { mine: { kind: command, command: ["${agent}"] } }
checks: { content: { command: "test -s README.md" } }
roles: { verify: { timeout: 2m } }
improve:
  schedule: "0 2 * * *"
  avoid_recent_commits: 1
  categories: { monday: [tests], tuesday: [tests], wednesday: [tests], thursday: [tests], friday: [tests], saturday: [tests] }
`;
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), settings);
  await user.json("init", "--yes");
});
afterEach(() => user.cleanUp());

test("improve --dry-run: shows agents, permissions, limits and prompts, and starts nothing", async () => {
  const preview = await user.json<ImprovePreviewJson>("improve", "--dry-run", "--category", "docs");
  expect(preview).toMatchObject({ categories: ["docs", "tests", "refactoring", "security", "performance"] });
  expect(preview.runs.map(({ role }) => role)).toEqual(["analyze", "implement", "verify", "describe"]);
  for (const { prompt } of preview.runs) expect(prompt).not.toContain("{{");
  const { stdout } = await user.run("improve", "--dry-run", "--category", "docs", "--prompts");
  expect(stdout).toMatch(/^shop: would try docs, then tests, .*\. Nothing was started\.\n/);
  expect(stdout).toMatch(/^verify {5}mine {3}default +2 min /m);
  expect(stdout).toContain("content: test -s README.md");
  expect(stdout).toContain("No forge is configured. The branch night-shift/… is pushed.");
  for (const role of ["analyze", "implement", "verify", "describe"])
    expect(stdout).toContain(`Prompt of ${role}\n\n  # Rules that override everything else`);
  expect((await user.run("improve", "--dry-run", "--category", "doc")).stderr).toMatch(/docs/);
  expect(await user.json<readonly unknown[]>("queue")).toEqual([]);
});

test("improve --dry-run: names the agent that would get the forge token after a person accepted it", async () => {
  const file = join(user.repo.checkout, "nightshift.yaml");
  const forge =
    'forge: { kind: gitlab, url: "https://gitlab.example.com", project: team/shop, token_env: SHOP_TOKEN }\n';
  const settings = (await readFile(file, "utf8")).replace("improve:\n", "improve:\n  publish: agent\n");
  await writeFile(file, `${forge}${settings}`);
  const roles = async () =>
    (await user.json<ImprovePreviewJson>("improve", "--dry-run", "--category", "docs")).runs.map(({ role }) => role);
  expect(await roles()).not.toContain("publish");
  expect(await user.run("trust", "--yes")).toMatchObject({ code: 0 });
  const { runs, publish } = await user.json<ImprovePreviewJson>("improve", "--dry-run", "--category", "docs");
  expect(publish.by).toBe("agent");
  expect(runs.flatMap(({ role, secrets }) => secrets.map((name) => [role, name]))).toEqual([["publish", "SHOP_TOKEN"]]);
  const { stdout } = await user.run("improve", "--dry-run", "--category", "docs");
  expect(stdout).toContain("an agent pushes the branch and opens it, with access to the forge token");
});

test("improve: prints category and branch, and schedule lists the upcoming runs", async () => {
  const { code, stdout, stderr } = await waitForExit(user.start("improve", "--category", "docs", "--wait"));
  expect(code, stderr).toBe(0);
  expect(stdout).toContain("category: refactoring (fallback from docs)\n");
  expect(stdout).toContain("branch: night-shift/say-more\n");

  const { runs } = await user.json<SchedulesJson>("schedule");
  expect(runs).toHaveLength(7);
  expect((await user.run("schedule")).stdout).toMatch(
    /^.* 02:00.* shop {5}improve {3}nothing: no category for this day$/m,
  );

  const again = await user.json<TaskJson>("schedule", "run", "improve");
  expect(again).toMatchObject({ pipeline: "improve", project: "shop" });
  expect((await user.run("schedule", "run", "weekly")).stderr).toMatch(/no schedule "weekly"\. It has: improve/);
}, 90_000);

test("doctor: reports the next scheduled night and days without a category", async () => {
  const { stdout } = await user.run("doctor");
  expect(stdout).toMatch(/! improve \(shop\) .*next: .*02:00 UTC/);
  expect(stdout).toContain("nothing is done on sunday: no category is scheduled for that day");
});

test("improve: without a category for today, it says so at once and offers no follow-up", async () => {
  const file = join(user.repo.checkout, "nightshift.yaml");
  const settings = await readFile(file, "utf8");
  await writeFile(file, settings.replace(/^  categories:.*\n/m, "  categories: {}\n"));
  expect(await user.run("trust", "--yes")).toMatchObject({ code: 0 });
  const { stdout } = await user.run("improve");
  expect(stdout).toMatch(/reason: no category is scheduled for \w+day/);
  const shown = (await user.run("show", /^task_\w+/.exec(stdout)?.[0] ?? "")).stdout;
  expect(shown).toContain("nightshift delete");
  expect(shown).not.toContain("nightshift follow-up");
});
