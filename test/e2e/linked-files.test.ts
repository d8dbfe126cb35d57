import { readFileSync } from "node:fs";
import { chmod, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createTempRepo, git, writeFiles } from "../../src/testing/temp-repo.ts";
import { openNight, type Night } from "../support/night.ts";

const TIMEOUT = { timeout: 120_000 };
let night: Night | null = null;
afterEach(async () => {
  await night?.close();
  night = null;
}, 60_000);

const CHECK = "cat fixtures/a.txt data/big.bin";

async function open(
  agent: (checkout: string) => string,
  mode = "enforce",
  link = "fixtures, data/big.bin, missing.txt",
): Promise<Night> {
  const repo = await createTempRepo({ "greeting.txt": "hello\n", "data/readme.txt": "data\n" });
  await writeFiles(repo.checkout, { "fixtures/a.txt": "fixture\n", "data/big.bin": "big\n", "secret.txt": "secret\n" });
  // A run that is started by root has its own user, which must be able to reach the checkout.
  await chmod(repo.path, 0o755);
  night = await openNight({
    repo,
    agent: agent(repo.checkout),
    userSettings: `sandbox: { mode: ${mode} }\n`,
    settings: `workspace: { link: [${link}] }\nchecks: { linked: { command: '${CHECK}' } }\n`,
    timeoutMs: 90_000,
  });
  return night;
}

/** Tries to change what is behind the links in every way, then replaces the links in its own workspace. */
const ATTACK = (checkout: string): string => `cat fixtures/a.txt data/big.bin
try() { (eval "$1") 2>/dev/null && echo "succeeded: $1"; }
try 'echo evil > fixtures/a.txt'
try 'echo evil >> data/big.bin'
try 'touch fixtures/new.txt'
try 'rm fixtures/a.txt'
try 'mv fixtures/a.txt fixtures/b.txt'
try 'chmod 777 fixtures/a.txt'
try 'ln fixtures/a.txt hard.txt && echo evil > hard.txt'
try 'truncate -s 0 data/big.bin'
try 'echo evil > ${checkout}/fixtures/a.txt'
try 'cat ${checkout}/secret.txt'
rm fixtures data/big.bin; mkdir fixtures; echo evil > fixtures/a.txt; echo evil > data/big.bin
echo more >> greeting.txt; done_with ok`;

it("linked files: an agent can read them, and neither change them nor reach their neighbours", TIMEOUT, async () => {
  const opened = await open(ATTACK);
  const { repo } = opened;
  const task = await opened.settled((await opened.submit()).id);
  expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
  const [agent, checks] = await opened.runs(task.id);
  const { lines } = await opened.wired.ports.runFiles.readTranscript(agent?.id ?? "", 0, 100_000);
  expect(lines.map(({ text }) => text)).toEqual(["fixture", "big"]);
  const log = await opened.wired.ports.runFiles.readLogTail(checks?.id ?? "", "checks/linked.log", 1_000);
  expect(log.trim()).toBe("fixture\nbig");
  expect(readFileSync(join(repo.checkout, "fixtures/a.txt"), "utf8")).toBe("fixture\n");
  expect(readFileSync(join(repo.checkout, "data/big.bin"), "utf8")).toBe("big\n");
  expect(await readdir(join(repo.checkout, "fixtures"))).toEqual(["a.txt"]);
  expect(await git(repo.remote, "diff", "--name-only", "main", task.branch ?? "")).toBe("greeting.txt");
});

it.each([
  ["without the sandbox", "none", "fixtures", /workspace\.link needs the sandbox/],
  ["a tracked file", "enforce", "greeting.txt", /"greeting\.txt" cannot be linked .* is part of the repository/],
  ["a link to somewhere else", "enforce", "outside", /"outside" cannot be linked .* neither a plain file nor a folder/],
  ["a file behind a link", "enforce", "outside/passwd", /"outside\/passwd" cannot be linked .* leads outside/],
])("linked files: %s is refused before the agent starts", TIMEOUT, async (_, mode, link, expected) => {
  const opened = await open(() => "done_with ok", mode, link);
  await symlink("/etc", join(opened.repo.checkout, "outside"));
  const task = await opened.settled((await opened.submit()).id);
  expect(task).toMatchObject({ status: "failed", outcome: "setup_failed" });
  expect(task.reason).toMatch(expected);
});
