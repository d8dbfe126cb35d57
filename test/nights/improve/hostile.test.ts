import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Task } from "../../../src/core/task/task.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { ALICE } from "../../support/night.ts";
import { NIGHTLY_DRAFT, TOKEN } from "../../support/nightly.ts";
import { branchesOf, expectNothingLeft, filesBelow, filesContaining, promptsOf } from "../../support/cleanup-checks.ts";
import { night, open, TEST_TIMEOUT } from "../../support/shared-night.ts";

async function runNight(): Promise<Task> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return night.settled(id);
}

async function transcripts(): Promise<string> {
  const files = (await filesBelow(join(night.home, "runs"))).filter((file) => file.endsWith("transcript.jsonl"));
  return (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
}

const ENCODED = [TOKEN, Buffer.from(TOKEN).toString("base64"), Buffer.from(TOKEN).toString("hex")];

async function expectTokenNowhere(): Promise<void> {
  // Make sure that the search works: it finds a word that was committed.
  expect(await filesContaining(night.repo.remote, ["recent-one.txt"])).toEqual([night.repo.remote]);
  expect(await filesContaining(night.home, ENCODED)).toEqual([]);
  expect(await filesContaining(night.repo.remote, ENCODED)).toEqual([]);
  expect(night.notices.join("\n")).not.toContain(TOKEN);
  expect(JSON.stringify(night.forge.changeRequests)).not.toContain(TOKEN);
}

/** The agent knows the token from elsewhere, not from its environment. Split in two, because this script is on the disk too. */
const PRINT_TOKEN = `T="${TOKEN.slice(0, 12)}"; T="\${T}${TOKEN.slice(12)}"
echo "env: $(env | grep -c -e FORGE_TOKEN -e "$T")"
echo "out $T"; echo "err $T" >&2; printf '%s' "$T" | base64
`;
const COMMIT_ALL = 'git add -A && git -c user.name=x -c user.email=x@example.com commit -qm "with $T"';

describe("improve: forge token", TEST_TIMEOUT, () => {
  it("is not in an agent's environment, and is redacted everywhere even if the agent prints, reports and commits it", async () => {
    await open({
      overHttp: true,
      agent: `${PRINT_TOKEN}case $ROLE in
        analyze) found "Say more of $T" notes.txt;;
        implement)
          case $N in
            1) echo "key = $T" >> notes.txt; ${COMMIT_ALL};;
            2) printf '%s' "$T" | base64 >> notes.txt;;
            *) echo more >> notes.txt;;
          esac
          implemented "used $T";;
        verify) report '{"outcome":"verified","summary":"'"$T"' is fine"}';;
        describe) described "Say more of $T";;
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published" });
    const checks = (await night.runs(task.id)).filter(({ step }) => step === "checks");
    expect(checks.map(({ outcome }) => outcome)).toEqual(["policy_failed", "policy_failed", "checks_passed"]);
    const [, second] = await promptsOf(night, task.id, "implement");
    expect(second).toMatch(/error \S+ notes\.txt:2/);
    const output = await transcripts();
    expect(output).toContain("env: 0");
    expect(output).not.toMatch(/env: [1-9]/);
    expect(output).toContain("out [redacted: FORGE_TOKEN]");
    expect(output).toContain("err [redacted: FORGE_TOKEN]");
    expect(night.forge.changeRequests[0]?.title).toBe("[night-shift/docs] Say more of [redacted: FORGE_TOKEN]");
    // Git and the API did use it.
    expect(new Set(night.forge.requests.map(({ kind: of }) => of))).toEqual(new Set(["api", "git"]));
    await expectNothingLeft(night, task);
    await expectTokenNowhere();
  });

  it("is not left in a tree or a commit of an abandoned attempt", async () => {
    await open({
      agent: `${PRINT_TOKEN}case $ROLE in analyze) found "Say more" notes.txt;; implement) echo "$N $T" >> notes.txt; ${COMMIT_ALL}; implemented x;; esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", outcome: "abandoned" });
    expect(task.reason).toContain("the change is refused");
    expect(await branchesOf(night)).toEqual([]);
    await expectNothingLeft(night, task);
    await expectTokenNowhere();
  });
});

describe("improve: agent that leaves files behind and fails", TEST_TIMEOUT, () => {
  it("gets a clean tree for the next attempt, and only the last attempt is published", async () => {
    await open({
      files: { "src/kept.txt": "kept\n" },
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement)
          echo "sees: $(ls -A | sort | tr '\\n' ' ')of $(git rev-list --count HEAD) commits, $(git status --porcelain | wc -l) changed"
          case $N in
            1) mkdir -p build sub; echo rubbish > untracked.txt; echo x > build/ignored.txt; rm -r src
              echo worse > notes.txt; git add -A; git -c user.name=x -c user.email=x@example.com commit -qm rubbish
              git branch other; git tag v9; git stash list >/dev/null; git init -q sub/nested; echo y > sub/nested/file
              git -C sub/nested add -A; git -C sub/nested -c user.name=x -c user.email=x@example.com commit -qm nested
              exit 7;;
            2) git rm -qrf .; git -c user.name=x -c user.email=x@example.com commit -qm gone; touch left; kill -9 $$;;
            *) echo more >> notes.txt; implemented "said more";;
          esac;;
        verify) echo sneaked >> notes.txt; echo sneaked > sneaked.txt; verified;;
        describe) echo sneaked >> notes.txt; git commit -qam sneaked; described "Say more";;
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published" });
    const runs = (await night.runs(task.id)).filter(({ role }) => role === "implement");
    expect(runs.map(({ outcome }) => outcome)).toEqual(["agent_error", "agent_error", "implemented"]);
    const seen = [...(await transcripts()).matchAll(/sees: (.*?)"/g)].map(([, what]) => what);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/notes\.txt .*src of .* commits, 0 changed$/);
    expect(seen[0]).not.toMatch(/untracked|build|sub|left/);
    const branch = task.branch ?? "";
    expect(await git(night.repo.remote, "rev-list", "--count", `main..${branch}`)).toBe("1");
    expect(await git(night.repo.remote, "diff", "--stat", "--format=", "main", branch)).toMatch(
      /^ notes\.txt \| 1 \+\n 1 file changed, 1 insertion/,
    );
    expect(await git(night.repo.remote, "log", "-1", "--format=%an %cn %B", branch)).not.toMatch(/x |rubbish|sneaked/);
    expect(await branchesOf(night)).toEqual([branch]);
    expect(await git(night.repo.remote, "tag")).toBe("");
    await expectNothingLeft(night, task);
  });
});

describe("improve: questions of agents", TEST_TIMEOUT, () => {
  const ASK_QUESTION = `report '{"outcome":"needs_info","summary":"which one is meant?","questions":[{"id":"which","question":"Which one?","input":"text"}]}'`;

  it("do not block the night: the next attempt or category follows, and the task ends", async () => {
    await open({
      agent: `case $ROLE in
        analyze) if [ "$CATEGORY" = docs ]; then ${ASK_QUESTION}; else found "Say more" notes.txt; fi;;
        implement) echo "$N" >> notes.txt; implemented x;;
        verify) if [ "$N" = 1 ]; then ${ASK_QUESTION}; else verified; fi;;
        describe) described "Say more";;
      esac`,
    });
    const { id } = await night.submit({
      ...NIGHTLY_DRAFT,
      improve: { category: "docs", only: false, scheduledAt: null },
    });
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "succeeded", state: "published", items: { at: 1 } });
    expect(task.items?.tried[0]).toMatchObject({ item: "docs", outcome: "needs_info" });
    expect(await night.published(task, "notes.txt")).toBe("notes\n2");
    await expectNothingLeft(night, task);
  });
});

describe("improve: default branch that moves during the night", TEST_TIMEOUT, () => {
  it("and conflicts with the change: the change is made again on the new base", async () => {
    await open({
      avoidRecentCommits: 0,
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) sed "s/^notes/better notes $N/" notes.txt > n && cat n > notes.txt && rm n
          if [ "$N" = 1 ]; then CHECKOUT="$(dirname "$0")/checkout"; cd "$CHECKOUT" && echo "notes of a person" > notes.txt && git add notes.txt && git -c user.name=x -c user.email=x@example.com commit -qm moved && git push -q origin HEAD; fi
          implemented x;;
        verify) verified;;
        describe) described "Say more";;
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ state: "published" });
    const runs = (await night.runs(task.id)).map(({ role, step, outcome }) => [role ?? step, outcome]);
    expect(runs).toContainEqual(["checks", "conflict"]);
    expect(await night.published(task, "notes.txt")).toBe("better notes 2 of a person");
    expect(await git(night.repo.remote, "rev-list", "--count", `main..${task.branch}`)).toBe("1");
    await expectNothingLeft(night, task);
  });
});

describe("improve: invalid report", TEST_TIMEOUT, () => {
  it("is never treated as an improvement", async () => {
    await open({
      agent: `case $ROLE in
        analyze)
          if [ -e "$HOME/tried" ]; then report '{"outcome":"improvement_found","category":"docs","candidates":[],"selected":1}'
          else touch "$HOME/tried"; report '{"outcome":"IMPROVEMENT_FOUND"}'; fi;;
        *) echo more >> notes.txt; implemented x;;
      esac`,
    });
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", state: "abandoned" });
    const runs = await night.runs(task.id);
    expect(runs.map(({ role, outcome }) => [role, outcome])).toEqual([
      ["analyze", "invalid_output"],
      ["analyze", "invalid_output"],
    ]);
    expect(night.forge.changeRequests).toEqual([]);
  });
});

describe("improve: task that a person ends", TEST_TIMEOUT, () => {
  it.each(["cancel", "kill"] as const)(
    "by %s during its work publishes nothing and leaves nothing behind",
    async (order) => {
      await open({
        agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) echo more >> notes.txt; trap '' TERM; echo begun; sleep 300 & wait;;
      esac`,
      });
      const { id } = await night.submit({
        ...NIGHTLY_DRAFT,
        improve: { category: "docs", only: true, scheduledAt: null },
      });
      await vi.waitFor(async () => expect(await transcripts()).toContain("begun"), { timeout: 60_000, interval: 100 });
      await night.commands[order](id, ALICE);
      const task = await night.settled(id);
      expect(task).toMatchObject({ status: "cancelled" });
      expect(night.forge.changeRequests).toEqual([]);
      expect(await branchesOf(night)).toEqual([]);
      await expectNothingLeft(night, task);
    },
  );
});
