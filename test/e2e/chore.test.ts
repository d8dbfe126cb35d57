import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { ALICE, openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;

async function open(options: NightOptions = {}): Promise<Night> {
  night = await openNight(options);
  return night;
}

afterEach(async () => {
  await night?.close();
  night = null;
});

function callTool(name: string): string {
  return `echo '${JSON.stringify({ type: "tool_call", id: "1", name, input: {} })}'`;
}

describe("chore pipeline", () => {
  it("publishes one commit on top of the base and leaves no temporary files", async () => {
    const { submit, settled, published, repo, home, path } = await open({
      settings: "checks:\n  test: { command: sh test.sh }\n",
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "succeeded", state: "done", outcome: "published", waitingFor: null });
    expect(await path(task.id)).toEqual(["implementing>checking", "checking>publishing", "publishing>done"]);
    expect(await published(task, "greeting.txt")).toBe("hello, world");
    expect(await git(repo.remote, "rev-list", "--count", `main..${task.branch}`)).toBe("1");
    await expect
      .poll(() => readdirSync(join(home, "workspaces")).filter((name) => name.startsWith("task_")))
      .toEqual([]);
  });

  it("records the agent, the cost, tools, checks and artifacts of its runs in the event log", async () => {
    const usage = JSON.stringify({ type: "usage", cost_usd: 0.5, tokens: { input: 1, output: 1 }, model: "m" });
    const { submit, settled, wired } = await open({
      agent: `${callTool("Edit")}\n${callTool("Edit")}\n${callTool("Bash")}\necho '${usage}'\necho "hello, world" > greeting.txt\ndone_with x`,
      settings:
        "checks:\n  test: { command: sh test.sh }\n  lint: { command: '! grep -q world greeting.txt', severity: warning }\n",
    });
    const task = await settled((await submit()).id);
    expect(task.status).toBe("succeeded");
    const events = await wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of("run.started")[0]?.data).toMatchObject({ role: "implement", attempt: 1, agent: "mine", model: null });
    expect(of("run.ended")[0]?.data).toMatchObject({
      outcome: "implemented",
      cost_usd: 0.5,
      cost_basis: "reported",
      duration_ms: expect.any(Number),
    });
    expect(of("run.tools")).toMatchObject([{ level: "debug", data: { tools: { Edit: 2, Bash: 1 } } }]);
    expect(of("check.ended").map(({ level, data }) => [level, data["name"], data["status"]])).toEqual(
      expect.arrayContaining([
        ["debug", "test", "passed"],
        ["warning", "lint", "failed"],
      ]),
    );
    expect(of("artifact.added").map(({ data }) => data["type"])).toEqual(expect.arrayContaining(["diff", "branch"]));
  });

  it("does not touch the user's checkout", async () => {
    const { submit, settled, repo } = await open();
    const before = [
      await repo.git("status", "--porcelain"),
      await repo.git("rev-parse", "HEAD"),
      readFileSync(join(repo.checkout, "greeting.txt"), "utf8"),
    ];
    await settled((await submit()).id);
    expect([
      await repo.git("status", "--porcelain"),
      await repo.git("rev-parse", "HEAD"),
      readFileSync(join(repo.checkout, "greeting.txt"), "utf8"),
    ]).toEqual(before);
    expect(existsSync(join(repo.checkout, ".gitignore"))).toBe(false);
  });

  it("repairs checks that fail twice with their output in the prompt, until they pass", async () => {
    const { submit, settled, runs, home } = await open({
      agent: '[ "$N" -lt 3 ] && echo "bye $N" > greeting.txt || echo "hello again" > greeting.txt\ndone_with "try $N"',
      settings: "checks:\n  test: { command: 'cat greeting.txt; grep -q hello greeting.txt' }\n",
    });
    const task = await settled((await submit()).id);
    expect(task.status).toBe("succeeded");
    const all = await runs(task.id);
    expect(all.map(({ outcome }) => outcome)).toEqual([
      "implemented",
      "checks_failed",
      "implemented",
      "checks_failed",
      "implemented",
      "checks_passed",
      "published",
    ]);
    expect(all.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 3, 3, 1]);
    for (const [run, output] of [
      [2, "bye 1"],
      [4, "bye 2"],
    ] as const)
      expect(readFileSync(join(home, "runs", all[run]?.id ?? "", "prompt.md"), "utf8")).toMatch(
        new RegExp(`check "test" failed with exit code 1[^]*${output}`),
      );
  });

  it("fails after three repairs with the log, and keeps the work as a rescue ref", async () => {
    const { submit, settled, runs, home, path } = await open({
      agent: 'echo "bye $N" > greeting.txt; done_with no',
      settings: "checks:\n  test: { command: sh test.sh }\n",
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "checks_failed" });
    expect((await runs(task.id)).filter(({ role }) => role === "implement")).toHaveLength(4);
    expect((await path(task.id)).at(-1)).toBe("checking>failed");
    const [mirror] = readdirSync(join(home, "mirrors"));
    await expect
      .poll(() => git(join(home, "mirrors", mirror ?? "", "rescue.git"), "for-each-ref", "refs/nightshift/rescue"))
      .toContain(task.id);
  });

  it("distinguishes a check that fails on the base from one that the change broke", async () => {
    const { submit, settled, checks } = await open({
      settings:
        "checks:\n  always-red: { command: 'echo broken since ever; exit 1' }\n  test: { command: sh test.sh }\n",
    });
    const task = await settled((await submit()).id);
    expect(task.status).toBe("succeeded");
    const found = await checks(task.id);
    expect(found.map(({ name, status }) => [name, status])).toEqual([
      ["always-red", "inconclusive"],
      ["test", "passed"],
    ]);
  });

  it("checks whose program is missing publish nothing: a person decides, and the result names them", async () => {
    const { submit, settled, checks, commands, repo } = await open({
      settings: "checks:\n  test: { command: nightshift-missing-uv run pytest }\n",
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({
      status: "waiting",
      state: "checking",
      waitingFor: { kind: "choice", about: "checks" },
    });
    expect((await checks(task.id)).map(({ name, status, exitCode }) => [name, status, exitCode])).toEqual([
      ["test", "could_not_run", 127],
    ]);
    const branches = () => git(repo.remote, "for-each-ref", "--format=%(refname:short)", "refs/heads");
    expect(await branches()).toBe("main");
    await commands.choose(task.id, { option: "publish", note: "uv is only in CI" }, ALICE);
    const ended = await settled(task.id);
    expect(ended).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(ended.reason).toMatch(
      /not verified: no check gave a result: test: could not run; alice decided .*uv is only in CI/,
    );
    expect(await branches()).toContain(ended.branch);
  });

  it("counts a failure that differs from the one on the base as caused by the change", async () => {
    const { submit, settled } = await open({
      agent: "echo bye > greeting.txt; done_with no",
      settings: "repair_attempts: 0\nchecks:\n  red: { command: 'cat greeting.txt; exit 1' }\n",
    });
    expect(await settled((await submit()).id)).toMatchObject({ status: "failed", outcome: "checks_failed" });
  });

  it("records a check that fails once and then passes as flaky, and continues", async () => {
    const { submit, settled, checks } = await open({
      settings: "checks:\n  moody: { command: 'test -e seen || { touch seen; exit 1; }' }\n",
    });
    const task = await settled((await submit()).id);
    expect(task.status).toBe("succeeded");
    expect((await checks(task.id)).map(({ status }) => status)).toEqual(["flaky"]);
  });

  it.each([
    ["shows a warning without failing for it", "", "succeeded"],
    ["fails on a warning with fail_on_warning", "fail_on_warning: true\nrepair_attempts: 0\n", "failed"],
  ])("%s", async (_what, extra, status) => {
    const settings = `${extra}checks:\n  style: { command: 'test "$(cat greeting.txt)" = hello', severity: warning }\n`;
    const { submit, settled, checks } = await open({ settings });
    const task = await settled((await submit()).id);
    expect(task.status).toBe(status);
    const found = await checks(task.id);
    expect(found.map(({ name, severity, status: result }) => [name, severity, result])).toEqual([
      ["style", "warning", "failed"],
    ]);
  });

  it("asks a person and continues with the answer in the prompt", async () => {
    const { submit, settled, commands, runs, home, published } = await open({
      agent: `if [ "$N" = 1 ]; then printf '{"outcome":"needs_info","summary":"which","questions":[{"id":"word","question":"Which word?","input":"text"}]}' > "$OUT"
else echo "hello there" > greeting.txt; done_with yes; fi`,
    });
    const waiting = await settled((await submit()).id);
    expect(waiting).toMatchObject({ status: "waiting", state: "implementing", waitingFor: { kind: "answers" } });
    await expect(commands.answer(waiting.id, { other: "x" }, ALICE)).rejects.toThrow(
      /no question "other"[\s\S]*"word" has no answer/,
    );
    await commands.answer(waiting.id, { word: "there" }, ALICE);
    const task = await settled(waiting.id);
    expect(task).toMatchObject({ status: "succeeded" });
    expect(await published(task, "greeting.txt")).toBe("hello there");
    const second = (await runs(task.id))[1];
    expect(readFileSync(join(home, "runs", second?.id ?? "", "prompt.md"), "utf8")).toContain("there");
  });

  it("notifies the terminal once when the task ends", async () => {
    const { submit, settled, notices } = await open();
    const task = await settled((await submit()).id);
    await expect.poll(() => notices.filter((line) => line.includes(task.id))).toHaveLength(1);
  });

  it("rebases onto a base that moved, and lets the agent resolve a conflict but not leave one", async () => {
    const moving = `if [ "$N" = 1 ]; then printf '{"outcome":"needs_info","summary":"q","questions":[{"id":"go","question":"Go?","input":"text"}]}' > "$OUT"; echo "hello, world" > greeting.txt; elif grep -q '<<<<<<<' greeting.txt && grep -q 'hello, moon' greeting.txt; then echo "hello, world and moon" > greeting.txt; done_with both; else done_with yes; fi`;
    const { submit, settled, commands, repo, published } = await open({ agent: moving });
    const calm = await settled((await submit()).id);
    await repo.commit({ "other.txt": "new on main\n" });
    await commands.answer(calm.id, { go: "yes" }, ALICE);
    const task = await settled(calm.id);
    expect(task.status).toBe("succeeded");
    expect(await published(task, "other.txt")).toBe("new on main");
    const stormy = await settled((await submit()).id);
    await repo.commit({ "greeting.txt": "hello, moon\n" });
    await commands.answer(stormy.id, { go: "yes" }, ALICE);
    const resolved = await settled(stormy.id);
    expect(resolved.status).toBe("succeeded");
    expect(await published(resolved, "greeting.txt")).toBe("hello, world and moon");
    const careless = await settled((await submit()).id);
    await repo.commit({ "greeting.txt": "hello, sun\n" });
    await commands.answer(careless.id, { go: "yes" }, ALICE);
    expect(await settled(careless.id)).toMatchObject({ status: "failed", outcome: "policy_failed" });
  });
});
