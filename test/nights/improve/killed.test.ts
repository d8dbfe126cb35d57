import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openLoopbackForge, type LoopbackForge } from "../../../src/testing/forges/loopback-forge.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { BIN, createUser, type User } from "../../support/cli-user.ts";
import { SUCCESSFUL_AGENT, TOKEN, REPORT_FUNCTIONS } from "../../support/nightly.ts";
import { filesBelow, filesContaining } from "../../support/cleanup-checks.ts";

const execute = promisify(execFile);
const TEST_TIMEOUT = { timeout: 900_000 };
const WAIT = { timeout: 120_000, interval: 50 };

let user: User;
let forge: LoopbackForge;

afterEach(async () => {
  await user.cleanUp();
  await forge.close();
}, 60_000);

/** Sets up a user with a project on a forge, and an agent that adds a line to the notes. */
async function setUpProject(): Promise<void> {
  user = await createUser();
  forge = await openLoopbackForge({
    kind: "gitlab",
    token: TOKEN,
    files: { "notes.txt": "notes\n", "other.txt": "\n" },
  });
  for (const name of ["one", "two"]) await forge.repo.commit({ [`${name}.txt`]: name }, name);
  const { repo } = user;
  await repo.git("remote", "set-url", "origin", forge.bareDir);
  await repo.git("fetch", "--quiet", "origin");
  await repo.git("reset", "--quiet", "--hard", "origin/main");
  const agent = join(repo.path, "night.sh");
  await writeFile(agent, `#!/bin/sh\nOUT=$NIGHTSHIFT_OUTCOME_FILE\n${REPORT_FUNCTIONS}${SUCCESSFUL_AGENT}\n`, {
    mode: 0o755,
  });
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
forge: { kind: gitlab, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }
improve: { avoid_recent_commits: 2 }
`,
  );
}

/** Runs the CLI in an environment in which a daemon kills itself at `crashAt`. */
async function call(crashAt: string, ...args: readonly string[]): Promise<string> {
  const env = { ...user.env, FORGE_TOKEN: TOKEN, NIGHTSHIFT_CRASH_AT: crashAt };
  const options = { cwd: user.repo.checkout, env, timeout: 60_000 };
  return (await execute(process.execPath, [BIN, ...args], options)).stdout;
}

async function daemonPid(): Promise<number | null> {
  const text = await readFile(join(user.home, "daemon.json"), "utf8").catch(() => "{}");
  const { pid } = JSON.parse(text) as { pid?: number };
  return pid !== undefined && isAlive(pid) ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** One checkpoint per state. Each daemon counts from one. */
const CRASHES = [
  "supervisor.started:1", // analyzing
  "work.collected:2", // implementing
  "step.committed:2", // checking
  "supervisor.started:1", // verifying
  "outcome.read:2", // describing
  "branch.pushed:1", // publishing
  "request.opened:1",
];

const ENDED = ["succeeded", "failed", "cancelled"];

interface ShownTask {
  readonly status: string;
  readonly state: string;
}

describe("improve: daemon that is killed", TEST_TIMEOUT, () => {
  it("in each state: the next daemon continues to one change request and leaves nothing behind", async () => {
    await setUpProject();
    await call("", "init", "--yes");
    await call("", "stop");
    const [first = "", ...others] = CRASHES;
    const { id } = JSON.parse(await call(first, "improve", "--category", "docs", "--only", "--json")) as { id: string };
    for (const crash of [...others, ""]) {
      await vi.waitFor(async () => expect(await daemonPid()).toBe(null), WAIT);
      // The daemon may be killed before it responds.
      await call(crash, "start").catch(() => "");
    }
    const show = async (): Promise<ShownTask> => JSON.parse(await call("", "show", id, "--json")) as ShownTask;
    await vi.waitFor(async () => expect(ENDED).toContain((await show()).status), WAIT);
    expect(await show()).toMatchObject({ status: "succeeded", state: "published" });
    expect(forge.changeRequests.map(({ branch }) => branch)).toEqual(["night-shift/say-more"]);
    expect(forge.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(await git(forge.bareDir, "rev-list", "--count", "main..night-shift/say-more")).toBe("1");
    expect(await git(forge.bareDir, "diff", "--name-only", "main", "night-shift/say-more")).toBe("notes.txt");
    await vi.waitFor(async () => expect(await filesBelow(join(user.home, "workspaces"))).toEqual([]), WAIT);
    await call("", "stop");
    expect((await filesBelow(user.home)).filter((file) => /\.(?:lock|building|tmp)$/.test(file))).toEqual([
      join(user.home, "nightshift.db.lock"),
    ]);
    expect(await filesContaining(user.home, [TOKEN])).toEqual([]);
  });
});
