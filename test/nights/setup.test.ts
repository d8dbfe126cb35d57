import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { ALICE, openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;
const TIMEOUT_MS = 60_000;

async function open(options: NightOptions): Promise<Night> {
  night = await openNight({ timeoutMs: TIMEOUT_MS, ...options });
  return night;
}

afterEach(async () => {
  await night?.close();
  night = null;
});

/** Creates, changes and deletes files that are not ignored, like a package manager. */
const SETUP = "workspace: { setup: 'echo made > made.txt; echo 2 > lock.json; rm old.txt' }\n";
const FILES = { "lock.json": "1\n", "old.txt": "old\n" };

async function changedFiles({ repo }: Night, branch: string | null): Promise<readonly string[]> {
  return (await git(repo.remote, "diff", "--name-status", "main", branch ?? "")).replaceAll("\t", " ").split("\n");
}

describe("setup: created files", () => {
  it.each(["none", "enforce"])(
    "are visible to agent and checks but not part of the change (sandbox: %s)",
    { timeout: 120_000 },
    async (mode) => {
      const opened = await open({
        userSettings: `sandbox: { mode: ${mode} }\n`,
        files: FILES,
        settings: `${SETUP}checks: { made: { command: 'grep -q made made.txt && grep -q 2 lock.json && test ! -e old.txt' } }\n`,
        agent: "cat made.txt lock.json; echo more >> greeting.txt; done_with ok",
      });
      const task = await opened.settled((await opened.submit()).id);
      expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
      expect(await changedFiles(opened, task.branch)).toEqual(["M greeting.txt"]);
      expect((await opened.checks(task.id)).map(({ name, status }) => [name, status])).toEqual([["made", "passed"]]);
      const [agent] = await opened.runs(task.id);
      const { lines } = await opened.wired.ports.runFiles.readTranscript(agent?.id ?? "", 0, 100_000);
      expect(lines.map(({ text }) => text)).toEqual(["made", "2"]);
    },
  );

  it("are part of the change if the agent changed them too", { timeout: 120_000 }, async () => {
    const opened = await open({
      files: FILES,
      settings: SETUP,
      agent: "echo mine >> made.txt; echo 3 > lock.json; echo back > old.txt; done_with ok",
    });
    const task = await opened.settled((await opened.submit()).id);
    expect(await changedFiles(opened, task.branch)).toEqual(["M lock.json", "A made.txt", "M old.txt"]);
    expect(await opened.published(task, "made.txt")).toBe("made\nmine");
  });

  it("do not count as work of an agent that did nothing", { timeout: 120_000 }, async () => {
    const opened = await open({ files: FILES, settings: SETUP, agent: "done_with nothing" });
    const task = await opened.settled((await opened.submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "no_changes" });
    expect((await opened.runs(task.id)).every(({ commit }) => commit === null)).toBe(true);
  });

  it("are discarded if setup fails; the log says why", { timeout: 120_000 }, async () => {
    const opened = await open({ settings: "workspace: { setup: 'echo half > half.txt; echo no registry; exit 9' }\n" });
    const task = await opened.settled((await opened.submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "setup_failed" });
    expect(task.reason).toMatch(/exited with code 9.*no registry/s);
    const [run] = await opened.runs(task.id);
    expect(run).toMatchObject({ outcome: "setup_failed", commit: null, costUsd: 0 });
    const log = join(opened.home, "runs", run?.id ?? "", "setup", "setup.log");
    expect(readFileSync(log, "utf8")).toContain("no registry");
  });
});

describe("setup: ports", () => {
  it(
    "set-up, agent and checks know the ports of their workspace, which no other open one has",
    { timeout: 120_000 },
    async () => {
      const opened = await open({
        userSettings: "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n",
        settings: `workspace: { ports: 7, setup: 'echo $NIGHTSHIFT_PORT_BASE $NIGHTSHIFT_PORTS > ports.txt' }
checks: { ports: { command: 'echo $NIGHTSHIFT_PORT_BASE $NIGHTSHIFT_PORTS' } }
`,
        // Both agents wait for each other, so their workspaces are open at the same time.
        agent: `echo "$NIGHTSHIFT_PORT_BASE $NIGHTSHIFT_PORTS"; cat ports.txt; touch ../../$NIGHTSHIFT_TASK.here
i=0; while [ $(ls ../../*.here | wc -l) -lt 2 ] && [ $i -lt 1200 ]; do i=$((i+1)); sleep 0.05; done
echo $NIGHTSHIFT_TASK >> greeting.txt; done_with ok`,
      });
      const tasks = await Promise.all([opened.submit(), opened.submit()]);
      const seen: string[] = [];
      for (const { id } of tasks) {
        expect(await opened.settled(id)).toMatchObject({ status: "succeeded" });
        const [agent, checks] = await opened.runs(id);
        const { lines } = await opened.wired.ports.runFiles.readTranscript(agent?.id ?? "", 0, 100_000);
        const [byAgent = "", bySetup] = lines.map(({ text }) => text);
        expect(byAgent).toMatch(/^2\d{4} 7$/);
        expect(bySetup).toBe(byAgent);
        seen.push(byAgent);
        const log = await opened.wired.ports.runFiles.readLogTail(checks?.id ?? "", "checks/ports.log", 1_000);
        expect(log.trim()).toMatch(/^2\d{4} 7$/);
      }
      const [first = 0, second = 0] = seen.map((text) => Number(text.split(" ")[0]));
      expect(Math.abs(first - second)).toBeGreaterThanOrEqual(7);
    },
  );
});

/** Signals its start and waits for permission to continue, with files beside the repository. */
const WAIT_FOR_GO =
  "B=../../../..; touch $B/begun; i=0; while [ ! -e $B/go ] && [ $i -lt 1200 ]; do i=$((i+1)); sleep 0.05; done";

const openWaiting = (part: "setup" | "agent"): Promise<Night> =>
  open({
    files: FILES,
    settings: `workspace: { setup: '${part === "setup" ? WAIT_FOR_GO : "true"}; echo made > made.txt; echo 2 > lock.json' }\n`,
    agent: `${part === "agent" ? WAIT_FOR_GO : "true"}; echo more >> greeting.txt; done_with ok`,
  });
const waitForStart = async ({ repo }: Night): Promise<void> =>
  await expect.poll(() => existsSync(join(repo.path, "begun")), { timeout: TIMEOUT_MS }).toBe(true);
const continueAgent = ({ repo }: Night): void => writeFileSync(join(repo.path, "go"), "");

describe("setup: slow command", () => {
  it.each(["setup", "agent"] as const)(
    "its created files are still recognised after a daemon restart (during %s)",
    { timeout: 120_000 },
    async (part) => {
      const opened = await openWaiting(part);
      const { id } = await opened.submit();
      await waitForStart(opened);
      await opened.restart();
      continueAgent(opened);
      const task = await opened.settled(id);
      expect(task).toMatchObject({ status: "succeeded" });
      expect(await changedFiles(opened, task.branch)).toEqual(["M greeting.txt"]);
      expect((await opened.runs(id)).map(({ outcome }) => outcome)).toEqual([
        "implemented",
        "checks_passed",
        "published",
      ]);
    },
  );

  it("ends when its task is cancelled and leaves no work", { timeout: 120_000 }, async () => {
    const opened = await openWaiting("setup");
    const { id } = await opened.submit();
    await waitForStart(opened);
    const dir = opened.wired.ports.runFiles.dir(`${(await opened.runs(id))[0]?.id ?? ""}/setup`);
    expect(await opened.wired.ports.supervisors.isAlive(dir)).toBe(true);
    expect(await opened.commands.cancel(id, ALICE)).toMatchObject({ status: "cancelled" });
    expect(await opened.wired.ports.supervisors.isAlive(dir)).toBe(false);
    const task = await opened.settled(id);
    expect(task.headCommit).toBe(task.baseCommit);
    expect((await opened.runs(id)).map(({ outcome, commit }) => [outcome, commit])).toEqual([["cancel", null]]);
  });
});
