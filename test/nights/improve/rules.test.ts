import { describe, expect, it } from "vitest";
import type { Task } from "../../../src/core/task/task.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT } from "../../support/nightly.ts";
import { branchesOf, expectNothingLeft, promptsOf } from "../../support/cleanup-checks.ts";
import { night, open, TEST_TIMEOUT } from "../../support/shared-night.ts";

async function runNight(only = false): Promise<Task> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only, scheduledAt: null } });
  return night.settled(id);
}

/** Returns the outcomes of the runs of a step or role, oldest first. */
async function outcomes(id: string, of: string): Promise<readonly (string | null)[]> {
  return (await night.runs(id)).filter(({ step, role }) => (role ?? step) === of).map(({ outcome }) => outcome);
}

const VERIFY_AND_DESCRIBE = `
  verify) verified;;
  describe) described "Say more in the notes";;`;

describe("improve: agent that claims that its tests pass", TEST_TIMEOUT, () => {
  it("is not trusted: the checks decide, the agent gets their output, and then the next category is tried", async () => {
    await open({
      settings: "checks:\n  test: { command: sh test.sh }\n",
      files: { "test.sh": "grep -q ^notes notes.txt || { echo the first line is gone; exit 3; }\n" },
      agent: `case $ROLE in
        analyze) found "Say more of $CATEGORY" notes.txt;;
        implement)
          if [ "$CATEGORY" = tests ] || [ "$N" -gt 3 ]; then echo more >> notes.txt; else echo "broken $N" > notes.txt; fi
          implemented "all 12 tests pass";;${VERIFY_AND_DESCRIBE}
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published", items: { at: 1 } });
    expect(await outcomes(task.id, "implement")).toEqual(["implemented", "implemented", "implemented", "implemented"]);
    expect(await outcomes(task.id, "checks")).toEqual([
      "checks_failed",
      "checks_failed",
      "checks_failed",
      "checks_passed",
    ]);
    // A change that fails the checks is not verified.
    expect(await outcomes(task.id, "verify")).toEqual(["verified"]);
    const [first, second, third, fresh] = await promptsOf(night, task.id, "implement");
    expect(first).not.toContain("the first line is gone");
    for (const prompt of [second, third]) {
      expect(prompt).toContain('The check "test" failed with exit code 3');
      expect(prompt).toContain("the first line is gone");
    }
    expect(fresh).not.toContain("the first line is gone");
    const [tried] = task.items?.tried ?? [];
    expect(tried).toMatchObject({ item: "docs", outcome: "checks_failed" });
    expect(tried?.reason).toContain("test: failed");
    expect(await night.published(task, "notes.txt")).toBe("notes\nmore");
    expect(night.forge.changeRequests).toHaveLength(1);
    await expectNothingLeft(night, task);
  });

  it("publishes nothing if no attempt passes", async () => {
    await open({
      settings: "checks:\n  test: { command: sh test.sh }\n",
      files: { "test.sh": "grep -q ^notes notes.txt\n" },
      agent: `case $ROLE in analyze) found "Say more" notes.txt;; implement) echo "broken $N" > notes.txt; implemented "tests pass";; esac`,
    });
    const task = await runNight(true);
    expect(task).toMatchObject({ status: "failed", state: "abandoned", outcome: "abandoned" });
    expect(task.reason).toMatch(/^docs: .*test: failed/);
    expect(night.forge.changeRequests).toEqual([]);
    expect(await branchesOf(night)).toEqual([]);
    await expectNothingLeft(night, task);
  });
});

/** Six attempts in two categories, each with another violation, and a seventh without. */
const VIOLATING_AGENT = `case $ROLE in
  analyze)
    if [ "$CATEGORY" = docs ]; then found "Say more" notes.txt
    elif [ "$CATEGORY" = tests ]; then found "Say it in the test" add.test.js
    else found "Say more elsewhere" other.txt; fi;;
  implement)
    case $N in
      1) sed 's/1.0.0/2.0.0/' package.json > p && cat p > package.json && rm p;;
      2) seq 400 >> notes.txt;;
      3) echo more >> recent-one.txt;;
      4) echo more >> stray.txt; echo '// more' >> add.test.js;;
      5) printf 'test.skip("adds", () => {\\n  expect(add(1, 2)).toBe(3);\\n});\\n' > add.test.js;;
      6) printf 'exit 0\\n' > test.sh;;
      *) echo more >> other.txt;;
    esac
    implemented "done";;${VERIFY_AND_DESCRIBE}
esac`;

const FINDINGS = [
  /error dependency_file package\.json/,
  /error size notes\.txt: The change has 400 changed lines .* At most 100 are allowed/,
  /error recent_file recent-one\.txt/,
  /error outside_concern stray\.txt/,
  /error weakened_test add\.test\.js/,
  /error gates_changed test\.sh/,
];

describe("improve: change that the diff policy refuses", TEST_TIMEOUT, () => {
  it("is not checked, verified or published; the next prompt contains the finding", async () => {
    await open({
      settings: "checks:\n  test: { command: sh test.sh }\n",
      files: {
        "package.json": '{ "name": "shop", "dependencies": { "left": "1.0.0" } }\n',
        "add.test.js": 'test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n',
        "test.sh": "grep -q ^notes notes.txt\n",
      },
      agent: VIOLATING_AGENT,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published", items: { at: 2 } });
    const checks = (await night.runs(task.id)).filter(({ step }) => step === "checks");
    expect(checks.map(({ outcome }) => outcome)).toEqual([...FINDINGS.map(() => "policy_failed"), "checks_passed"]);
    const prompts = await promptsOf(night, task.id, "implement");
    for (const [index, finding] of FINDINGS.entries()) {
      expect(checks[index]?.payload?.["details"]).toMatch(finding);
      // After the third attempt the category is abandoned, and the next one starts without its errors.
      const isGivenUp = index % 3 === 2;
      if (isGivenUp) expect(prompts[index + 1]).not.toMatch(finding);
      else expect(prompts[index + 1]).toMatch(finding);
    }
    expect(task.items?.tried.map(({ item, outcome }) => [item, outcome])).toEqual([
      ["docs", "policy_failed"],
      ["tests", "policy_failed"],
    ]);
    expect(await outcomes(task.id, "verify")).toEqual(["verified"]);
    expect(night.forge.changeRequests).toHaveLength(1);
    expect(await git(night.repo.remote, "diff", "--name-only", "main", task.branch ?? "")).toBe("other.txt");
    await expectNothingLeft(night, task);
  });
});

/** Five candidates. The agent selected the first. */
const candidates = (...named: readonly (readonly [title: string, file: string])[]): string =>
  `report '${JSON.stringify({
    outcome: "improvement_found",
    category: "docs",
    candidates: named.map(([title, file], index) => ({
      rank: index + 1,
      title,
      files: [file],
      description: "d",
      rationale: `reason ${index + 1}`,
    })),
    selected: 1,
  })}'`;

const RECENT = ["Mend the recent one", "recent-two.txt"] as const;
const DEPENDENCY = ["Raise the version", "package.json"] as const;
const OUTSIDE = ["Improve the machine", "../../etc/hosts"] as const;
const DROP_REASONS = [
  /It touches recent-two\.txt, changed within the last 3 commits of the default branch/,
  /It touches package\.json\. Nightly changes must not touch dependency files/,
  /It names "..\/..\/etc\/hosts", which is not a path inside the repository/,
];

describe("improve: candidates of an analysis", TEST_TIMEOUT, () => {
  const files = { "package.json": '{ "name": "shop" }\n' };

  it("are filtered by the rules: the best remaining one is implemented, and the change request lists the others", async () => {
    const named = candidates(RECENT, DEPENDENCY, OUTSIDE, ["Say more", "notes.txt"], ["Another idea", "other.txt"]);
    await open({
      files,
      agent: `case $ROLE in analyze) ${named};; implement) echo more >> notes.txt; implemented x;;${VERIFY_AND_DESCRIBE} esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published", branch: "night-shift/say-more" });
    const [prompt] = await promptsOf(night, task.id, "implement");
    expect(prompt).toContain("Say more");
    expect(prompt).not.toContain(RECENT[0]);
    const body = night.forge.changeRequests[0]?.body ?? "";
    const considered = body.slice(body.indexOf("## Candidates considered"));
    for (const [title] of [RECENT, DEPENDENCY, OUTSIDE]) expect(considered).toContain(title);
    expect(considered).toMatch(/\(dropped\): .*recent-two/);
    expect(considered).toMatch(/4\. Say more \(\*\*this change\*\*\)/);
    expect(considered).toMatch(/5\. Another idea \(not selected\): reason 5/);
    // The remaining candidates are in the ledger. Dropped ones are not and may be proposed again.
    const proposals = await night.wired.ports.store.ledger.listProposals({
      project: "shop",
      statuses: null,
      limit: 10,
    });
    expect(new Map(proposals.map(({ title, status }) => [title, status]))).toEqual(
      new Map([
        ["Another idea", "proposed"],
        ["Say more", "published"],
      ]),
    );
    await expectNothingLeft(night, task);
  });

  it("end as no improvement with the reasons if all are dropped", async () => {
    await open({ files, agent: candidates(RECENT, DEPENDENCY, OUTSIDE) });
    const task = await runNight(true);
    expect(task).toMatchObject({ status: "succeeded", state: "no_improvement", outcome: "no_improvement" });
    expect(task.reason).toMatch(/^docs: all 3 candidates were dropped: /);
    for (const reason of DROP_REASONS) expect(task.reason).toMatch(reason);
    expect(await outcomes(task.id, "implement")).toEqual([]);
    expect(night.forge.changeRequests).toEqual([]);
    await expectNothingLeft(night, task);
  });
});
