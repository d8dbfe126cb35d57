import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { hasEnded } from "../../../src/core/task/task.ts";
import { SUCCESSFUL_AGENT, NIGHTLY_DRAFT, openNightly, type Nightly } from "../../support/nightly.ts";

let night: Nightly;
afterEach(async () => night.close(), 60_000);

/**
 * Each role prints the inode and the birth time of its file, because file systems reuse the numbers of deleted inodes.
 * Implement waits, so that the test can inspect the workspace.
 */
const AGENT = `echo "inode $(stat -c %i@%w other.txt)"
ls
touch spoiled 2> /dev/null || true
case "$ROLE" in
analyze) head -c 100000 /dev/zero > "$TMPDIR/big" ;;
implement) until [ -e go-on ]; do sleep 0.05; done; rm go-on spoiled ;;
esac
${SUCCESSFUL_AGENT}`;

async function submitNight(mode: "enforce" | "none"): Promise<string> {
  night = await openNightly({ timeoutMs: 100_000, userSettings: `sandbox: { mode: ${mode} }\n`, agent: AGENT });
  return (await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } })).id;
}

const runOf = async (task: string, role: string) =>
  (await night.runs(task)).find((run) => run.role === role)?.id ?? role;

async function waitForImplementTree(task: string): Promise<string> {
  return await vi.waitFor(
    async () => {
      const tree = join(night.home, "workspaces", task, await runOf(task, "implement"));
      expect(existsSync(tree)).toBe(true);
      return tree;
    },
    { timeout: 60_000, interval: 20 },
  );
}

async function readInodes(task: string): Promise<Record<string, string>> {
  const entries = await Promise.all(
    ["analyze", "implement", "verify", "describe"].map(async (role) => {
      const { lines } = await night.wired.ports.runFiles.readTranscript(await runOf(task, role), 0, 1_000_000);
      const inode = /inode (\d+@[\d :.+-]+)/.exec(JSON.stringify(lines))?.[1];
      if (inode === undefined) throw new Error(`${role} did not print its inode`);
      return [role, inode] as const;
    }),
  );
  return Object.fromEntries(entries);
}

it("workspaces: in the sandbox, a role reuses the tree of a previous read-only role", async () => {
  const id = await submitNight("enforce");
  const tree = await waitForImplementTree(id);
  const analyze = join(night.home, "runs", await runOf(id, "analyze"));
  // Only the tree is reused, and nothing else of that run.
  await vi.waitFor(() => expect(readdirSync(analyze)).not.toContain("tmp"), { timeout: 30_000, interval: 50 });
  writeFileSync(join(tree, "go-on"), "");
  expect(await night.until(id, hasEnded)).toMatchObject({ status: "succeeded", state: "published" });
  const of = await readInodes(id);
  expect(of["implement"]).toBe(of["analyze"]);
  expect(of["describe"]).toBe(of["verify"]);
  // A tree that was written to is not reused for checks.
  expect(of["verify"]).not.toBe(of["implement"]);
});

it("workspaces: without the sandbox, each role has its own tree", async () => {
  const id = await submitNight("none");
  writeFileSync(join(await waitForImplementTree(id), "go-on"), "");
  expect(await night.until(id, hasEnded)).toMatchObject({ status: "succeeded", state: "published" });
  const { lines } = await night.wired.ports.runFiles.readTranscript(await runOf(id, "implement"), 0, 1_000_000);
  expect(lines.map(({ text }) => text)).toContain("other.txt");
  expect(lines.map(({ text }) => text)).not.toContain("spoiled");
});
