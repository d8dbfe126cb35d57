import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { filesBelow } from "../support/cleanup-checks.ts";
import { createUser, type User } from "../support/cli-user.ts";
import { openNight, type Night, type NightOptions } from "../support/night.ts";

const TIMEOUT = { timeout: 180_000 };
const WAIT = { timeout: 90_000, interval: 20 };

let night: Night | null = null;
let user: User | null = null;

afterEach(async () => {
  await night?.close();
  await user?.cleanUp();
  night = null;
  user = null;
}, 60_000);

async function open(options: NightOptions): Promise<Night> {
  night = await openNight({ timeoutMs: 90_000, userSettings: "sandbox: { mode: enforce }\n", ...options });
  return night;
}

const treesOf = ({ home }: Night, task: string): readonly string[] => {
  const dir = join(home, "workspaces", task);
  return existsSync(dir) ? readdirSync(dir).filter((name) => name !== "engine.git") : [];
};

const SLOW_AGENT = `echo more >> greeting.txt
ls -d ../*.prepared 2>&1 | grep -q 'No such file' && echo unseen
until [ -e go-on ]; do sleep 0.05; done; rm go-on; done_with ok`;

it(
  "prepared tree: the checks get the agent's change in the files that were written while it worked",
  TIMEOUT,
  async () => {
    const opened = await open({
      agent: SLOW_AGENT,
      settings: `checks: { change: { command: 'stat -c "made %w" test.sh; grep -q more greeting.txt && git status --porcelain' } }\n`,
    });
    const { id } = await opened.submit();
    await vi.waitFor(
      () => expect(treesOf(opened, id).filter((name) => name.endsWith(".prepared"))).toHaveLength(1),
      WAIT,
    );
    const [agent] = await opened.runs(id);
    const prepared = Date.now();
    await writeFile(join(opened.home, "workspaces", id, agent?.id ?? "", "go-on"), "");
    const task = await opened.settled(id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    const { lines } = await opened.wired.ports.runFiles.readTranscript(agent?.id ?? "", 0, 100_000);
    expect(lines.map(({ text }) => text)).toEqual(["unseen"]);
    const [, checks] = await opened.runs(id);
    const log = await opened.wired.ports.runFiles.readLogTail(checks?.id ?? "", "checks/change.log", 1_000);
    const made = /^made (.+)\n*$/.exec(log)?.[1];
    expect(Date.parse(made ?? log)).toBeLessThan(prepared);
    await vi.waitFor(() => expect(treesOf(opened, id)).toEqual([]), WAIT);
  },
);

it("prepared tree: none is written without a sandbox or without checks", TIMEOUT, async () => {
  const check = "checks: { test: { command: 'true' } }\n";
  for (const options of [{ userSettings: "sandbox: { mode: none }\n", settings: check }, {}]) {
    const opened = await open({ agent: "ls ..; echo more >> greeting.txt; done_with ok", ...options });
    const prepare = vi.spyOn(opened.wired.ports.workspaces, "prepare");
    const { id } = await opened.submit();
    expect(await opened.settled(id)).toMatchObject({ status: "succeeded" });
    expect(prepare).not.toHaveBeenCalled();
    await opened.close();
    night = null;
  }
});

it("prepared tree: a failed task keeps its workspace, but not the prepared tree", TIMEOUT, async () => {
  const opened = await open({ agent: "exit 3", settings: "checks: { test: { command: 'true' } }\n" });
  const prepare = vi.spyOn(opened.wired.ports.workspaces, "prepare");
  const { id } = await opened.submit();
  expect(await opened.settled(id)).toMatchObject({ status: "failed" });
  expect(prepare).toHaveBeenCalled();
  await vi.waitFor(() => expect(treesOf(opened, id).some((name) => name.endsWith(".prepared"))).toBe(false), WAIT);
  expect(treesOf(opened, id)).not.toEqual([]);
});

const FILES = 4_000;

it(
  "prepared tree: a daemon that is killed while it writes the tree finishes the task and leaves nothing",
  TIMEOUT,
  async () => {
    user = await createUser();
    const { repo, home, run } = user;
    await repo.commit(
      Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/${at % 50}/${at}.txt`, `${at}\n`])),
    );
    await repo.git("push", "--quiet", "origin", "HEAD:main");
    await writeFile(join(home, "config.yaml"), "sandbox: { mode: enforce }\n");
    const agent = join(repo.path, "agent.sh");
    // The agent waits in its own tree, because nothing else is visible in the sandbox.
    await writeFile(
      agent,
      `#!/bin/sh\nuntil [ -e go-on ]; do sleep 0.05; done; rm go-on; echo hello > hello.txt\nprintf '{"outcome":"implemented","summary":"ok"}' > "$NIGHTSHIFT_OUTCOME_FILE"\n`,
    );
    const check = "checks: { content: { command: 'test -s hello.txt && test $(ls src/*/* | wc -l) = 4000' } }";
    await writeFile(
      join(repo.checkout, "nightshift.yaml"),
      `project: shop\nagent: mine\nagents:\n  mine: { kind: command, command: ["${agent}"] }\n${check}\n`,
    );
    expect(await run("init", "--yes")).toMatchObject({ code: 0 });
    const checkout = await hashTree(repo.checkout);
    const { id } = await user.json<{ id: string }>("submit", "--pipeline", "chore", "Say hello");
    const dir = join(home, "workspaces", id);
    const names = (): readonly string[] => (existsSync(dir) ? readdirSync(dir) : []);
    const building = (): boolean => {
      const folder = join(dir, "engine.git", "building");
      return existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, "files", "src")));
    };
    const { pid } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { pid: number };
    await vi.waitFor(() => expect(names().some((name) => /^run_\w+$/.test(name)) && building()).toBe(true), {
      timeout: 90_000,
      interval: 1,
    });
    process.kill(pid, "SIGKILL");
    expect(names().some((name) => name.endsWith(".prepared"))).toBe(false);
    expect(await run("start")).toMatchObject({ code: 0 });
    const [tree = ""] = names().filter((name) => /^run_\w+$/.test(name));
    await writeFile(join(dir, tree, "go-on"), "");
    const ended = await vi.waitFor(async () => {
      const task = await user?.json<{ status: string; outcome: string }>("show", id);
      expect(task?.status).toMatch(/succeeded|failed|waiting/);
      return task;
    }, WAIT);
    expect(ended).toMatchObject({ status: "succeeded", outcome: "published" });
    await vi.waitFor(() => expect(names()).toEqual([]), WAIT);
    // Neither the person's files nor their git directory have changed.
    expect(await hashTree(repo.checkout)).toBe(checkout);
  },
);

/** Hashes the names, modes and contents of all files below a directory, including `.git`. */
async function hashTree(dir: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await filesBelow(dir)).toSorted())
    hash.update(`${file} ${statSync(file).mode}\n`).update(readFileSync(file));
  return hash.digest("hex");
}
