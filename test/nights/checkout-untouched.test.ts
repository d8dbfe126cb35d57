import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { appendFile, chmod, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { createUser, type User } from "../support/cli-user.ts";

const TIMEOUT = { timeout: 240_000 };
const WAIT = { timeout: 120_000, interval: 100 };

let user: User | null = null;
afterEach(async () => {
  await user?.cleanUp();
  user = null;
}, 60_000);

/** One program in all roles. It also looks for the checkout, and tries to change it. */
const AGENT = (checkout: string): string => `#!/bin/sh
cat > /dev/null
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
(echo evil > ${checkout}/evil.txt; echo evil >> ${checkout}/README.md; echo evil > ${checkout}/.git/hooks/evil) 2>/dev/null
case $NIGHTSHIFT_ROLE in
  plan) report '{"outcome":"plan_complete","plan":"Say more.","plan_summary":"Say more","subtasks":[]}';;
  review) report '{"outcome":"approved","summary":"fine","comments":[]}';;
  *) cat .env.test; echo more >> README.md; echo evil > .env.test; report '{"outcome":"implemented","summary":"said more"}';;
esac
`;

/** Types, modes, times and contents of everything in a checkout, including its git directory. Times of directories are left out. */
async function describeTree(dir: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(dir, { recursive: true })).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(dir, name);
      const found = lstatSync(path);
      if (found.isDirectory()) return [name, `directory ${found.mode}`];
      const content = found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
      return [name, `${found.mode} ${found.mtimeMs} ${createHash("sha256").update(content).digest("hex")}`];
    }),
  );
}

async function makeDirty({ repo }: User): Promise<void> {
  await appendFile(join(repo.checkout, "README.md"), "my unfinished work\n");
  await writeFile(join(repo.checkout, "staged.txt"), "staged\n");
  await repo.git("add", "staged.txt");
  await appendFile(join(repo.checkout, "staged.txt"), "and changed again\n");
  await writeFile(join(repo.checkout, "untracked.txt"), "untracked\n");
  await symlink("/etc", join(repo.checkout, "link"));
  await chmod(join(repo.checkout, "untracked.txt"), 0o640);
}

it.each(["clean", "dirty"] as const)(
  "a whole feature task, from plan to merge, leaves a %s checkout and its git directory untouched",
  TIMEOUT,
  async (kind) => {
    user = await createUser();
    const { repo, home, run, json } = user;
    await writeFile(join(home, "config.yaml"), "sandbox: { mode: enforce }\n");
    const agent = join(repo.path, "agent.sh");
    await writeFile(agent, AGENT(repo.checkout), { mode: 0o755 });
    await writeFile(join(repo.checkout, ".env.test"), "KEY=value\n");
    await writeFile(
      join(repo.checkout, "nightshift.yaml"),
      `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
workspace: { setup: "echo made > made.txt", copy: [.env.test] }
checks: { content: { command: "grep -q value .env.test && test -s made.txt" } }
`,
    );
    if (kind === "dirty") await makeDirty(user);
    expect(await run("init", "--yes")).toMatchObject({ code: 0 });
    const before = await describeTree(repo.checkout);
    const { id } = await json<{ id: string }>("submit", "--pipeline", "feature", "Say more");
    const waitsFor = async (wanted: string) =>
      vi.waitFor(async () => {
        const task = await json<{ waiting_for: { kind: string; plan_hash?: string } | null }>("show", id);
        expect(task.waiting_for?.kind).toBe(wanted);
        return task.waiting_for?.plan_hash ?? "";
      }, WAIT);
    expect(await run("approve", id, "--plan", await waitsFor("approval"))).toMatchObject({ code: 0 });
    await waitsFor("merge");
    expect(await run("merge", id)).toMatchObject({ code: 0 });
    await vi.waitFor(
      async () => expect(await json("show", id)).toMatchObject({ status: "succeeded", outcome: "merged" }),
      WAIT,
    );
    expect(await git(repo.remote, "show", "main:README.md")).toMatch(/more$/);
    expect(await describeTree(repo.checkout)).toEqual(before);
    // Their own next pull works as usual.
    if (kind === "clean") await repo.git("pull", "--quiet", "--ff-only", "origin", "main");
  },
);
