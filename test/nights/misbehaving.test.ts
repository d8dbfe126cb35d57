import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;

async function runTask(options: NightOptions): Promise<{ night: Night; task: Awaited<ReturnType<Night["settled"]>> }> {
  night = await openNight(options);
  return { night, task: await night.settled((await night.submit()).id) };
}

afterEach(async () => {
  await night?.close();
  night = null;
});

/** Each ends in a named outcome with a message. None hangs or succeeds. */
describe("misbehaving agent", () => {
  it.each([
    ["exits 0 without an outcome", "true", "invalid_output", /without reporting an outcome/],
    ["writes a broken outcome file", 'echo "{oops" > "$OUT"', "invalid_output", /JSON/],
    [
      "reports an outcome its role does not have",
      `printf '{"outcome":"approved","summary":"fine"}' > "$OUT"`,
      "invalid_output",
      /approved/,
    ],
    [
      "makes its outcome file a link",
      'echo \'{"outcome":"implemented","summary":"x"}\' > "$TMPDIR/x"; ln -s "$TMPDIR/x" "$OUT"',
      "invalid_output",
      /link/,
    ],
    ["writes 100 MB as its outcome", 'head -c 100000000 /dev/zero > "$OUT"', "invalid_output", /bytes|large|MB/],
    ["makes its outcome file a pipe", 'mkfifo "$OUT"', "invalid_output", /file/],
    ["fails", "exit 3", "agent_error", /code 3/],
    ["changes nothing but reports success", "done_with lies", "no_changes", /changed no file/],
    ["deletes its workspace", 'd=$PWD; cd /; rm -rf "$d"; done_with gone', "agent_error", /workspace|tree|gone/],
  ])("that %s fails with a message", async (_what, agent, outcome, reason) => {
    const { task } = await runTask({ agent });
    expect(task).toMatchObject({ status: "failed", outcome });
    expect(task.reason).toMatch(reason);
  });

  it("gets one chance to correct an invalid report", async () => {
    const {
      task,
      night: { runs, home },
    } = await runTask({ agent: 'echo more >> greeting.txt; [ "$N" = 1 ] && echo "[]" > "$OUT" || done_with mended' });
    expect(task.status).toBe("succeeded");
    const all = await runs(task.id);
    expect(all.map(({ outcome }) => outcome)).toEqual(["invalid_output", "implemented", "checks_passed", "published"]);
    expect(readFileSync(join(home, "runs", all[1]?.id ?? "", "prompt.md"), "utf8")).toMatch(/JSON object/);
  });

  it("that prints binary data and escape sequences does no harm", async () => {
    const {
      task,
      night: { runs, wired },
    } = await runTask({
      agent: `printf '\\377\\376\\000\\033[2J\\033]0;owned\\007text\\n'; echo hi >> greeting.txt; done_with ok`,
    });
    expect(task.status).toBe("succeeded");
    const [first] = await runs(task.id);
    const { lines } = await wired.ports.runFiles.readTranscript(first?.id ?? "", 0, 100_000);
    expect(lines.map(({ text }) => text).join("")).toContain("text");
  });

  it("that commits on another branch: its files count, its commits do not", async () => {
    const {
      task,
      night: { published },
    } = await runTask({
      agent:
        'git checkout -q -b elsewhere; echo "hello from elsewhere" > greeting.txt; git -c user.name=x -c user.email=x@x commit -qam mine; git config core.fsmonitor "touch $TMPDIR/../../../owned"; done_with ok',
    });
    expect(task.status).toBe("succeeded");
    expect(await published(task, "greeting.txt")).toBe("hello from elsewhere");
  });

  it("that hangs is ended at its time limit, retried once, then fails", async () => {
    const {
      task,
      night: { runs },
    } = await runTask({ agent: "sleep 60", settings: "roles:\n  implement: { timeout: 1s }\n" });
    expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
    expect((await runs(task.id)).map(({ status, endedBy }) => [status, endedBy])).toEqual([
      ["timeout", "timeout"],
      ["timeout", "timeout"],
    ]);
  });

  it("that leaves processes behind: they are ended with it", async () => {
    const {
      task,
      night: { repo },
    } = await runTask({
      agent: `setsid sh -c 'while :; do date >> $PWD/../../../../ticks; sleep 0.05; done' & sleep 0.3; echo hi >> greeting.txt; done_with ok`,
    });
    expect(task.status).toBe("succeeded");
    const ticks = join(repo.path, "ticks");
    const before = statSync(ticks).size;
    expect(before).toBeGreaterThan(0);
    // Time in which a surviving process would write ticks.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(statSync(ticks).size).toBe(before);
  });

  it("that is not installed queues the task with a message instead of failing it", async () => {
    night = await openNight({ settings: "" });
    writeFileSync(
      join(night.repo.checkout, "nightshift.yaml"),
      "project: shop\nagent: mine\nagents:\n  mine: { kind: command, command: [no-such-program-anywhere] }\n",
    );
    const place = { name: "shop", path: night.repo.checkout, remote: night.repo.remote, defaultBranch: "main" };
    const { wanted } = await night.wired.projectFiles.pendingTrust(place, "");
    await saveProject(night.wired.ports, { ...place, accepted: wanted }, { kind: "person", name: "alice" });
    const task = await night.until((await night.submit()).id, ({ queuedFor }) => queuedFor !== null);
    expect(task).toMatchObject({ status: "queued", queuedFor: { kind: "program" } });
  });
});

describe("misbehaving checks", () => {
  it("that hang are ended at their time limit and fail", async () => {
    const {
      task,
      night: { checks },
    } = await runTask({
      settings:
        "repair_attempts: 0\nchecks:\n  slow: { command: 'test \"$(cat greeting.txt)\" = hello || sleep 60', timeout: 1s }\n",
    });
    expect(task).toMatchObject({ status: "failed", outcome: "checks_failed" });
    const found = await checks(task.id);
    expect(found.map(({ status }) => status)).toEqual(["failed"]);
    expect(found[0]?.tail.match(/was ended/g)).toHaveLength(1);
  });

  it("that print without end are truncated, and the task continues", async () => {
    const {
      task,
      night: { runs, home },
    } = await runTask({
      settings: "checks:\n  loud: { command: 'head -c 100000000 /dev/zero | tr \"\\\\0\" x; echo the end' }\n",
    });
    expect(task.status).toBe("succeeded");
    const check = (await runs(task.id)).find(({ step }) => step === "checks");
    expect(statSync(join(home, "runs", check?.id ?? "", "checks", "loud.log")).size).toBeLessThan(11_000_000);
  });

  it("a failing setup command has its own outcome", async () => {
    const { task } = await runTask({ settings: "workspace: { setup: 'echo no; exit 7' }\n" });
    expect(task).toMatchObject({ status: "failed", outcome: "setup_failed" });
    expect(task.reason).toMatch(/code 7/);
  });

  it("run in a clean tree: an ignored file of the agent does not affect them", async () => {
    const { task } = await runTask({
      files: { ".gitignore": "cheat\n" },
      agent: "touch cheat; echo bye > greeting.txt; done_with cheated",
      settings: "repair_attempts: 0\nchecks:\n  test: { command: 'test -e cheat || sh test.sh' }\n",
    });
    expect(task).toMatchObject({ status: "failed", outcome: "checks_failed" });
  });
});

describe("agent environment", () => {
  it("contains only the allowed variables", async () => {
    process.env["PLANTED_TOKEN"] = "s3cret-value";
    const {
      task,
      night: { runs, wired },
    } = await runTask({ agent: "env; echo hi >> greeting.txt; done_with ok" });
    delete process.env["PLANTED_TOKEN"];
    const [first] = await runs(task.id);
    const { lines } = await wired.ports.runFiles.readTranscript(first?.id ?? "", 0, 100_000);
    const names = lines.map(({ text }) => text.split("=")[0]).filter((name) => /^[A-Z_]+$/.test(name ?? ""));
    const allowed = [
      "PATH",
      "HOME",
      "USER",
      "LANG",
      "LC_ALL",
      "TERM",
      "TMPDIR",
      "SHELL",
      "TZ",
      "PWD",
      "OLDPWD",
      "SHLVL",
      "_",
      "N",
      "OUT",
    ];
    expect(names.filter((name) => !allowed.includes(name ?? "") && !name?.startsWith("NIGHTSHIFT_"))).toEqual([]);
    expect(lines.some(({ text }) => text.includes("s3cret-value"))).toBe(false);
  });
});
