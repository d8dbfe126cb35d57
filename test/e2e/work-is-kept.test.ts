import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

/** Changes a file in its first attempt, then works until the file `go` exists beside the repository. */
const SLOW_AGENT = `GO="$(dirname "$0")/go"; echo "try $N" >> greeting.txt; echo begun
i=0; while [ ! -e "$GO" ] && [ $i -lt 600 ]; do i=$((i+1)); sleep 0.05; done; done_with "try $N"`;

async function waitForStart(opened: Night, id: string): Promise<string> {
  const dir = (): string => join(opened.home, "runs");
  await expect
    .poll(
      () =>
        (existsSync(dir()) ? readdirSync(dir()) : []).some(
          (run) =>
            existsSync(join(dir(), run, "transcript.jsonl")) &&
            readFileSync(join(dir(), run, "transcript.jsonl"), "utf8").includes("begun"),
        ),
      { timeout: 15_000 },
    )
    .toBe(true);
  return (await opened.runs(id))[0]?.id ?? "";
}

async function readRescueRef(opened: Night, id: string): Promise<string> {
  const [mirror = ""] = readdirSync(join(opened.home, "mirrors"));
  return git(join(opened.home, "mirrors", mirror, "rescue.git"), "show", `refs/nightshift/rescue/${id}:greeting.txt`);
}

describe("work is not lost", () => {
  it("when the supervisor dies: the next run continues with the files", async () => {
    const opened = (night = await openNight({ agent: SLOW_AGENT }));
    const { id } = await opened.submit();
    const run = await waitForStart(opened, id);
    const { pid } = JSON.parse(readFileSync(join(opened.home, "runs", run, "supervisor.json"), "utf8")) as {
      pid: number;
    };
    writeFileSync(join(opened.repo.path, "go"), "");
    process.kill(pid, "SIGKILL");
    const task = await opened.settled(id);
    expect(task.status).toBe("succeeded");
    expect((await opened.runs(id)).map(({ outcome, attempt }) => [outcome, attempt]).slice(0, 2)).toEqual([
      ["interrupted", 1],
      ["implemented", 1],
    ]);
    expect(await opened.published(task, "greeting.txt")).toBe("hello\ntry 1\ntry 1");
  });

  it("when a person cancels: it is kept as a rescue ref, and a retry builds on it", async () => {
    const opened = (night = await openNight({ agent: SLOW_AGENT }));
    const { id } = await opened.submit();
    await waitForStart(opened, id);
    expect(await opened.commands.cancel(id, ALICE)).toMatchObject({ status: "cancelled" });
    await expect.poll(() => readRescueRef(opened, id).catch(() => "")).toBe("hello\ntry 1");
    // Its workspace is removed now, and main has moved.
    await opened.repo.commit({ "other.txt": "new\n" });
    writeFileSync(join(opened.repo.path, "go"), "");
    await opened.commands.retry(id, null, ALICE);
    const task = await opened.settled(id);
    expect(task.status).toBe("succeeded");
    expect(await opened.published(task, "greeting.txt")).toMatch(/^hello\ntry 1\ntry \d$/);
    expect(await opened.published(task, "other.txt")).toBe("new");
  });

  it("when a task is cancelled and retried immediately", async () => {
    const opened = (night = await openNight({ agent: SLOW_AGENT }));
    const { id } = await opened.submit();
    await waitForStart(opened, id);
    await opened.commands.kill(id, ALICE);
    writeFileSync(join(opened.repo.path, "go"), "");
    await opened.commands.retry(id, null, ALICE);
    expect(await opened.settled(id)).toMatchObject({ status: "succeeded" });
  });

  it("when the settings become invalid while the daemon is stopped: the agent continues and is adopted after they are fixed", async () => {
    const opened = (night = await openNight({ agent: SLOW_AGENT }));
    const { id } = await opened.submit();
    await waitForStart(opened, id);
    const file = join(opened.repo.checkout, "nightshift.yaml");
    const good = readFileSync(file, "utf8");
    writeFileSync(file, "project: [broken");
    await opened.restart();
    writeFileSync(join(opened.repo.path, "go"), "");
    // Time in which the engine could wrongly end the task.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await opened.wired.ports.store.tasks.getTask(id))?.status).toBe("running");
    writeFileSync(file, good);
    expect(await opened.settled(id)).toMatchObject({ status: "succeeded" });
    expect((await opened.runs(id)).filter(({ role }) => role === "implement")).toHaveLength(1);
  });

  it("when the remote does not respond: the task waits and nothing counts as a failure", async () => {
    const opened = (night = await openNight());
    await saveProject(
      opened.wired.ports,
      {
        ...((await opened.wired.ports.store.projects.getProject("shop")) ?? never()),
        remote: "http://127.0.0.1:9/shop.git",
      },
      ALICE,
    );
    const task = await opened.until((await opened.submit()).id, ({ queuedFor }) => queuedFor !== null);
    expect(task).toMatchObject({
      status: "queued",
      queuedFor: { kind: "remote" },
      counters: { "implementing:park": 1 },
    });
    expect((await opened.runs(task.id))[0]).toMatchObject({ outcome: "provider_down", costUsd: 0 });
  });
});

describe("checks: files that code under test leaves", () => {
  it("do not affect later checks", async () => {
    const opened = (night = await openNight({
      agent: "echo bye > greeting.txt; done_with no",
      settings:
        "repair_attempts: 1\nchecks:\n  test: { command: 'echo planted > $HOME/planted; echo planted > $TMPDIR/planted; sh test.sh' }\n  later: { command: 'test ! -e $HOME/planted-before && touch $HOME/planted-before' }\n",
    }));
    const task = await opened.settled((await opened.submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "checks_failed" });
    const later = (await opened.wired.ports.store.tasks.listChecks(task.id)).filter(({ name }) => name === "later");
    expect(later.map(({ status }) => status)).toEqual(["passed", "passed"]);
  });

  it("a check may be called setup", async () => {
    const opened = (night = await openNight({
      settings: "workspace: { setup: 'true' }\nchecks:\n  setup: { command: exit 1 }\nrepair_attempts: 0\n",
      agent: "echo more >> greeting.txt; done_with ok",
      files: {},
    }));
    const task = await opened.settled((await opened.submit()).id);
    expect((await opened.checks(task.id)).map(({ name, status }) => [name, status])).toEqual([
      ["setup", "inconclusive"],
    ]);
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
  });
});

function never(): never {
  throw new Error("the project is gone");
}
