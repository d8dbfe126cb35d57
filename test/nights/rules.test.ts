import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open.ts";
import { homePaths } from "../../src/config/files/paths.ts";
import type { ProposalJson, RuleJson } from "../../src/http/client/client.ts";
import { makeProposal } from "../../src/testing/builders.ts";
import { SILENT_LOG } from "../../src/testing/store/samples.ts";
import { createUser, PROJECT_FILE, type User } from "../support/cli-user.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
  // Proposals of earlier nights in the daemon's database.
  const store = await openSqliteStore({ file: homePaths(user.home).db, log: SILENT_LOG });
  const closed = { status: "closed", project: "shop" } as const;
  await store.ledger.saveProposals([
    makeProposal({ ...closed, id: "prop_aaaaaaaaaaaa", task: "task_1111111111", title: "Split the \u001b[31mcart" }),
    makeProposal({
      ...closed,
      id: "prop_bbbbbbbbbbbb",
      task: "task_2222222222",
      status: "merged",
      title: "Sort imports",
    }),
  ]);
  await store.close();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  await user.json("init", "--yes");
});

afterAll(async () => {
  await user.cleanUp();
});

const list = (...more: string[]): Promise<RuleJson[]> => user.json<RuleJson[]>("rules", ...more);
// oxlint-disable-next-line no-control-regex -- the test looks for escape sequences
const ESCAPE = /\u001b/;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** Midnight may pass between the command and reading the clock. */
const around = (days: number): readonly string[] => [days - 1, days, days + 1].map(inDays);

describe("CLI: rules", () => {
  let rule: RuleJson;

  test("are empty at first, and the list shows change requests without a reason", async () => {
    const result = await user.run("rules");
    expect(result).toMatchObject({
      code: 0,
      stdout: 'There are no rules. Run "nightshift rules add" to create one.\n',
    });
    expect(result.stderr).toContain('1 change request closed without a reason. Add one with "nightshift rules reason');
    expect(result.stderr).toContain("prop_aaaaaaaaaaaa  Split the cart  https://forge.example/1");
    expect(result.stderr).not.toMatch(ESCAPE);
    expect(await list()).toEqual([]);
  });

  test("add takes a text and an expiry, for the project of the current folder", async () => {
    rule = await user.json<RuleJson>("rules", "add", "Leave src/legacy\n alone", "--expires", "90d");
    expect(rule).toMatchObject({ project: "shop", text: "Leave src/legacy alone", url: null, expired: false });
    expect(around(90)).toContain(rule.expires_at?.slice(0, 10));
    const usual = await user.json<RuleJson>("rules", "add", "No new abbreviations");
    expect(around(180)).toContain(usual.expires_at?.slice(0, 10));
    const result = await user.run("rules");
    expect(result.stdout).toMatch(/^RULE +PROJECT +EXPIRES +FROM +TEXT\n/);
    expect(result.stdout).toMatch(
      new RegExp(`^${rule.id} +shop +\\w+ \\d+ \\w+ \\d\\d:\\d\\d +\\S+ +Leave src/legacy alone$`, "m"),
    );
    expect(await list("--project", "shop")).toHaveLength(2);
    expect(await user.run("rules", "--project", "other")).toMatchObject({ code: 2 });
    await user.json("rules", "remove", usual.id);
  });

  test("edit and expire accept a prefix of the id; expired rules are listed on request", async () => {
    const prefix = rule.id.slice(5, 12);
    const edited = await user.run("rules", "edit", prefix, "Leave it alone");
    expect(edited).toMatchObject({ code: 0 });
    expect(edited.stdout).toContain("Leave it alone");
    const later = await user.json<RuleJson>("rules", "expire", rule.id, "--in", "2w");
    expect(around(14)).toContain(later.expires_at?.slice(0, 10));
    expect(await user.json("rules", "expire", rule.id, "--at", "2999-01-31")).toMatchObject({
      expires_at: "2999-01-31T00:00:00.000Z",
    });
    expect(await user.json("rules", "expire", rule.id, "--at", "never")).toMatchObject({ expires_at: null });
    expect((await user.run("rules")).stdout).toMatch(/ never /);
    expect(await user.json("rules", "expire", rule.id)).toMatchObject({ expired: true });
    expect(await list()).toEqual([]);
    expect((await list("--expired")).map(({ id }) => id)).toEqual([rule.id]);
    expect((await user.run("rules", "list", "--expired")).stdout).toMatch(/ expired (just now|1 min ago) /);
  });

  test("remove deletes a rule once", async () => {
    expect(await user.json("rules", "remove", rule.id)).toEqual({ removed: rule.id });
    const again = await user.run("rules", "remove", rule.id);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(`There is no rule "${rule.id}"`);
    expect(await list("--expired")).toEqual([]);
  });
});

describe("CLI: reason for a closed change request", () => {
  test("with the id of a deleted task becomes a rule and is not requested again", async () => {
    const result = await user.json<{ proposal: ProposalJson; rule: RuleJson }>(
      "rules",
      "reason",
      "task_1111111111",
      "too big",
      "one concern at a time",
    );
    expect(result.proposal).toMatchObject({
      status: "closed",
      reason: { kind: "too_big", text: "one concern at a time" },
    });
    expect(await list()).toMatchObject([
      {
        text: "Not wanted (too big): Split the cart. one concern at a time. Files: README.md",
        proposal: "prop_aaaaaaaaaaaa",
        url: "https://forge.example/1",
      },
    ]);
    expect((await user.run("rules")).stderr).not.toContain("without a reason");
  });

  test("needs a known kind and a change request that was not merged", async () => {
    const kind = await user.run("rules", "reason", "task_1111111111", "too_bg");
    expect(kind.code).toBe(2);
    expect(kind.stderr).toContain('Did you mean "too_big"?');
    const merged = await user.run("rules", "reason", "prop_bbb", "style");
    expect(merged.code).toBe(1);
    expect(merged.stderr).toContain('"Sort imports" was merged');
    const unknown = await user.run("rules", "reason", "task_none", "style");
    expect(unknown.stderr).toContain('There is no proposal or task "task_none" in the ledger');
  });
});

describe("CLI: invalid use of rules", () => {
  test.each([
    ['"2h" is not a valid expiry', ["add", "x", "--expires", "2h"]],
    ["expiry is in the past", ["add", "x", "--expires", "2020-01-01"]],
    ["The rule is empty", ["add", "  "]],
    ["at most 500", ["add", "x".repeat(501)]],
    ["--at and --in", ["expire", "rule_1", "--at", "2999-01-01", "--in", "3d"]],
    ["missing required argument", ["edit", "rule_1"]],
  ])("is reported: %s", async (sentence, args) => {
    const result = await user.run("rules", ...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(sentence);
    expect(await list()).toHaveLength(1);
  });
});

test("API: changing rules needs the permission approve", async () => {
  const { token } = await user.json<{ token: string }>("token", "add", "bob", "--may", "submit");
  const { url } = JSON.parse(await readFile(join(user.home, "daemon.json"), "utf8")) as { url: string };
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await ask("GET", "/rules")).status).toBe(200);
  expect((await ask("POST", "/rules", { project: "shop", text: "x" })).status).toBe(403);
  expect((await ask("DELETE", "/rules/rule_1")).status).toBe(403);
  expect((await ask("POST", "/proposals/prop_b/reason", { kind: "style" })).status).toBe(403);
});
