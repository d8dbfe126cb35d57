import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { saveProject } from "../../../src/engine/commands/project-commands.ts";
import { fakeSsh } from "../../../src/testing/fake-ssh.ts";
import { createTempDir, git } from "../../../src/testing/temp-repo.ts";
import { ALICE } from "../../support/night.ts";
import { SUCCESSFUL_AGENT, NIGHTLY_DRAFT, openNightly, type Nightly } from "../../support/nightly.ts";
import { expectNothingLeft } from "../../support/cleanup-checks.ts";

const TEST_TIMEOUT = { timeout: 240_000 };
const SOCKET = "/run/fake/agent.sock";
const before = { ...process.env };
let night: Nightly | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
  process.env = { ...before };
}, 60_000);

/** Every agent tries to reach the user's keys before it does its work. */
const CHECK_SSH_ENV = `
if env | grep -q ^SSH_; then echo "an agent sees $(env | grep ^SSH_)" >&2; exit 9; fi
${SUCCESSFUL_AGENT}`;

/** Opens a night whose remote is only reachable over ssh. `host` controls the fake ssh. */
async function openOverSsh(host: string): Promise<{ readonly opened: Nightly; readonly calls: () => Promise<string> }> {
  const folder = await createTempDir();
  onTestFinished(folder.remove);
  const calls = join(folder.path, "calls");
  await fakeSsh(folder.path, calls);
  process.env["PATH"] = [folder.path, before["PATH"]].join(delimiter);
  process.env["SSH_AUTH_SOCK"] = SOCKET;
  for (const variable of ["GIT_SSH", "GIT_SSH_COMMAND"]) delete process.env[variable];
  const opened = await openNightly({ timeoutMs: 200_000, agent: CHECK_SSH_ENV });
  night = opened;
  const project = await opened.wired.ports.store.projects.getProject("shop");
  if (project === null) throw new Error("the project is gone");
  await saveProject(opened.wired.ports, { ...project, remote: `git@${host}:${opened.repo.remote}` }, ALICE);
  return { opened, calls: () => readFile(calls, "utf8") };
}

const submitNight = async (at: Nightly): Promise<string> =>
  (await at.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } })).id;

it(
  "improve over ssh: publishes with the user's ssh-agent, which no coding agent can access",
  TEST_TIMEOUT,
  async () => {
    const { opened, calls } = await openOverSsh("forgehost");
    const task = await opened.settled(await submitNight(opened));
    expect(task).toMatchObject({ state: "published", reason: expect.stringContaining("merge_requests/1") });
    expect(await git(opened.repo.remote, "show", `${task.branch}:notes.txt`)).toBe("notes\nmore");
    const lines = (await calls()).trim().split("\n");
    expect(lines.filter((line) => line.includes("git-receive-pack"))).toHaveLength(1);
    for (const line of lines) expect(line).toMatch(new RegExp(`^sock=${SOCKET} .*-o BatchMode=yes`));
    await expectNothingLeft(opened, task);
  },
);

it("improve over ssh: an unknown host key queues the task with a message", TEST_TIMEOUT, async () => {
  const { opened } = await openOverSsh("unknown-host");
  const id = await submitNight(opened);
  const task = await opened.until(id, ({ queuedFor, status }) => queuedFor !== null || status === "failed");
  const [run] = await opened.runs(id);
  expect(run?.error).toMatch(
    /^The host key of .* is unknown, so ssh refused to connect.* Run `git ls-remote` once by hand/,
  );
  expect(task).toMatchObject({ status: "queued", state: "analyzing", queuedFor: { kind: "login" } });
});
