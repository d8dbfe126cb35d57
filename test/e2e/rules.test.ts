import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open.ts";
import { homePaths } from "../../src/config/files/paths.ts";
import type { ProposalJson, RuleJson } from "../../src/http/client/client.ts";
import { makeProposal } from "../../src/testing/builders.ts";
import { SILENT } from "../../src/testing/store/samples.ts";
import { createUser, PROJECT_FILE, type User } from "./cli-user.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
  // What nights of before left, in the daemon's own database.
  const store = await openSqliteStore({ file: homePaths(user.home).db, log: SILENT });
  const closed = { status: "closed", project: "shop" } as const;
  await store.saveProposals([
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
  await user.leave();
});

const list = (...more: string[]): Promise<RuleJson[]> => user.json<RuleJson[]>("rules", ...more);
// oxlint-disable-next-line no-control-regex -- escapes are what is looked for
const ESCAPE = /\u001b/;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** Midnight may come between the command and the look at the clock. */
const around = (days: number): readonly string[] => [days - 1, days, days + 1].map(inDays);

describe("rules", () => {
  let rule: RuleJson;

  test("are none at first, and the list says what could be explained", async () => {
    const said = await user.run("rules");
    expect(said).toMatchObject({ code: 0, stdout: 'There are no rules. Run "nightshift rules add" to create one.\n' });
    expect(said.stderr).toContain('1 change request closed without a reason. Add one with "nightshift rules reason');
    expect(said.stderr).toContain("prop_aaaaaaaaaaaa  Split the cart  https://forge.example/1");
    expect(said.stderr).not.toMatch(ESCAPE);
    expect(await list()).toEqual([]);
  });

  test("add takes words and an end, for the project of this folder", async () => {
    rule = await user.json<RuleJson>("rules", "add", "Leave src/legacy\n alone", "--expires", "90d");
    expect(rule).toMatchObject({ project: "shop", text: "Leave src/legacy alone", url: null, expired: false });
    expect(around(90)).toContain(rule.expires_at?.slice(0, 10));
    const usual = await user.json<RuleJson>("rules", "add", "No new abbreviations");
    expect(around(180)).toContain(usual.expires_at?.slice(0, 10));
    const said = await user.run("rules");
    expect(said.stdout).toMatch(/^RULE +PROJECT +EXPIRES +FROM +TEXT\n/);
    expect(said.stdout).toMatch(
      new RegExp(`^${rule.id} +shop +\\d{4}-\\d\\d-\\d\\d +\\S+ +Leave src/legacy alone$`, "m"),
    );
    expect(await list("--project", "other")).toEqual([]);
    await user.json("rules", "remove", usual.id);
  });

  test("edit and expire by the beginning of the id; what ended is listed when asked for", async () => {
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
    expect((await user.run("rules", "list", "--expired")).stdout).toMatch(/ expired \d{4}-/);
  });

  test("remove, once", async () => {
    expect(await user.json("rules", "remove", rule.id)).toEqual({ removed: rule.id });
    const again = await user.run("rules", "remove", rule.id);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(`There is no rule "${rule.id}"`);
    expect(await list("--expired")).toEqual([]);
  });
});

describe("a reason for a closed change request", () => {
  test("by its task, which is long gone, becomes a rule, and is asked for no more", async () => {
    const said = await user.json<{ proposal: ProposalJson; rule: RuleJson }>(
      "rules",
      "reason",
      "task_1111111111",
      "too big",
      "one concern at a time",
    );
    expect(said.proposal).toMatchObject({
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

  test("wants a kind that there is, and something that was not merged", async () => {
    const kind = await user.run("rules", "reason", "task_1111111111", "too_bg");
    expect(kind.code).toBe(2);
    expect(kind.stderr).toContain('Did you mean "too_big"?');
    const merged = await user.run("rules", "reason", "prop_bbb", "style");
    expect(merged.code).toBe(1);
    expect(merged.stderr).toContain('"Sort imports" was merged');
    const nobody = await user.run("rules", "reason", "task_none", "style");
    expect(nobody.stderr).toContain('Nothing was proposed under "task_none"');
  });
});

describe("wrong use", () => {
  test.each([
    ['"2h" is not a valid expiry', ["add", "x", "--expires", "2h"]],
    ["ended before it began", ["add", "x", "--expires", "2020-01-01"]],
    ["The rule is empty", ["add", "  "]],
    ["at most 500", ["add", "x".repeat(501)]],
    ["--at and --in", ["expire", "rule_1", "--at", "2999-01-01", "--in", "3d"]],
    ["missing required argument", ["edit", "rule_1"]],
  ])("is told: %s", async (sentence, args) => {
    const said = await user.run("rules", ...args);
    expect(said.code).not.toBe(0);
    expect(said.stderr).toContain(sentence);
    expect(await list()).toHaveLength(1);
  });
});

test("only who may approve changes rules", async () => {
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
