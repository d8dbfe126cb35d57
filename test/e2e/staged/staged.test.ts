import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readExecutionPlan } from "../../../src/core/outcomes/execution-plan.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { ALICE, type Night } from "../../support/night.ts";
import { openStaged as openStagedNight, PLAN, runApproved, type StagedOptions } from "../../support/staged.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

async function openStaged(options: StagedOptions): Promise<Night> {
  night = await openStagedNight(options);
  return night;
}

describe("staged task in a git repository", { timeout: 60_000 }, () => {
  const TRY_ELSEWHERE = `echo "# Parsers" > reports/parsers.md
echo broken > greeting.txt; mkdir elsewhere; true`;

  it("writes only to the approved directories, and its files can be applied", async () => {
    const staged = await openStaged({ plans: [PLAN], execute: TRY_ELSEWHERE });
    const task = await runApproved(staged);
    expect(task).toMatchObject({ status: "succeeded", outcome: "completed" });
    const { checkout } = staged.repo;
    await expect(readFile(join(checkout, "reports/parsers.md"))).rejects.toThrow("ENOENT");
    const options = { force: false, dryRun: false };
    expect(await staged.commands.apply(task.id, options, ALICE)).toEqual({
      applied: true,
      files: [{ path: "reports/parsers.md", change: "created", problem: null }],
    });
    expect(await readFile(join(checkout, "reports/parsers.md"), "utf8")).toBe("# Parsers\n");
    expect(await git(checkout, "status", "--porcelain", "greeting.txt")).toBe("");
  });

  it("does not overwrite what the person wrote meanwhile", async () => {
    const staged = await openStaged({ plans: [PLAN], execute: TRY_ELSEWHERE });
    const task = await runApproved(staged);
    const file = join(staged.repo.checkout, "reports/parsers.md");
    await mkdir(join(staged.repo.checkout, "reports"));
    await writeFile(file, "mine\n");
    expect(await staged.commands.apply(task.id, { force: false, dryRun: false }, ALICE)).toMatchObject({
      applied: false,
      files: [{ problem: "was changed since the task started" }],
    });
    expect(await readFile(file, "utf8")).toBe("mine\n");
    await staged.commands.apply(task.id, { force: true, dryRun: false }, ALICE);
    expect(await readFile(file, "utf8")).toBe("# Parsers\n");
  });

  it("writes nothing with a plan that has no directories", async () => {
    const staged = await openStaged({
      plans: [{ ...PLAN, directories: [] }],
      execute: "mkdir reports; echo x > greeting.txt; true",
    });
    const task = await runApproved(staged);
    expect(task).toMatchObject({ status: "succeeded", headCommit: task.baseCommit });
    await expect(staged.commands.apply(task.id, { force: false, dryRun: false }, ALICE)).rejects.toThrow(
      "has no files to apply",
    );
  });

  it("writes directly to an approved directory outside of the repository", async () => {
    const outside = await mkdtemp(join(tmpdir(), "nightshift-outside-"));
    try {
      // As root, the agent runs as another user.
      await chmod(outside, 0o777);
      const plan = { ...PLAN, directories: [outside] };
      const staged = await openStaged({ plans: [plan], execute: `echo direct > ${outside}/note.txt` });
      const task = await runApproved(staged);
      expect(task).toMatchObject({ status: "succeeded", headCommit: task.baseCommit });
      expect(await readFile(join(outside, "note.txt"), "utf8")).toBe("direct\n");
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("records created, modified and deleted files, also outside of the repository and with size and time unchanged", async () => {
    const outside = await mkdtemp(join(tmpdir(), "nightshift-outside-"));
    try {
      await chmod(outside, 0o777);
      await writeFile(join(outside, "same-size.txt"), "aaaa");
      await chmod(join(outside, "same-size.txt"), 0o666);
      await symlink("/etc", join(outside, "link"));
      const staged = await openStaged({
        plans: [{ ...PLAN, directories: ["reports", outside] }],
        files: { "reports/old.md": "old\n", "reports/gone.md": "gone\n", ".gitignore": "*.log\n" },
        execute: `echo new > reports/new.md; echo newer > reports/old.md; rm reports/gone.md; echo x > reports/debug.log
cp -p ${outside}/same-size.txt $TMPDIR/times; printf bbbb > ${outside}/same-size.txt
touch -r $TMPDIR/times ${outside}/same-size.txt; echo direct > ${outside}/note.txt`,
      });
      const task = await runApproved(staged);
      expect(task).toMatchObject({ status: "succeeded" });
      const artifacts = await staged.wired.ports.store.tasks.listArtifacts(task.id);
      const files = artifacts.filter(({ type }) => type === "file");
      expect(files.map(({ label, data }) => [label, data["change"], data["applies"]])).toEqual([
        [`${outside}/note.txt`, "created", false],
        [`${outside}/same-size.txt`, "modified", false],
        ["reports/debug.log", "created", false],
        ["reports/gone.md", "deleted", true],
        ["reports/new.md", "created", true],
        ["reports/old.md", "modified", true],
      ]);
      const run = (await staged.runs(task.id)).at(-1)?.id ?? "";
      const kept = JSON.parse(await readFile(join(staged.home, "runs", run, "files.json"), "utf8"));
      expect(kept).toMatchObject({ problems: [], files: files.map(({ label }) => ({ path: label })) });
      const { files: applied } = await staged.commands.apply(task.id, { force: false, dryRun: true }, ALICE);
      expect(applied.map(({ path }) => path)).toEqual(["reports/gone.md", "reports/new.md", "reports/old.md"]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("says which files it could not record, and keeps the work", async () => {
    const staged = await openStaged({
      plans: [PLAN],
      execute: "mkdir reports/closed; echo x > reports/closed/a; echo y > reports/b; chmod 0 reports/closed",
    });
    const task = await runApproved(staged);
    const run = (await staged.runs(task.id)).at(-1);
    if (process.getuid?.() === 0) expect(run?.payload).not.toHaveProperty("not_recorded");
    else
      expect(run?.payload?.["not_recorded"]).toEqual([
        "The changed files in reports/closed are unknown, because it is not readable.",
      ]);
    const artifacts = await staged.wired.ports.store.tasks.listArtifacts(task.id);
    expect(artifacts.map(({ label }) => label)).toContain("reports/b");
  });

  it("is refused, not successful, if an approved directory is a file when it starts", async () => {
    const outside = await mkdtemp(join(tmpdir(), "nightshift-outside-"));
    await chmod(outside, 0o777);
    const { submit, settled, commands } = await openStaged({ plans: [{ ...PLAN, directories: [outside] }] });
    const waiting = await settled((await submit({ pipeline: "staged" })).id);
    await rm(outside, { recursive: true });
    await writeFile(outside, "");
    await chmod(outside, 0o666);
    try {
      await commands.approve(waiting.id, waiting.planHash, ALICE);
      const task = await settled(waiting.id);
      expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
      expect(task.reason).toContain(`${outside} is a file, not a directory.`);
    } finally {
      await rm(outside);
    }
  });

  it("is refused, not successful, if an approved directory is gone when it starts", async () => {
    const outside = await mkdtemp(join(tmpdir(), "nightshift-outside-"));
    await chmod(outside, 0o777);
    const { submit, settled, commands } = await openStaged({ plans: [{ ...PLAN, directories: [outside] }] });
    const waiting = await settled((await submit({ pipeline: "staged" })).id);
    await rm(outside, { recursive: true });
    await symlink("/etc", outside);
    try {
      await commands.approve(waiting.id, waiting.planHash, ALICE);
      const task = await settled(waiting.id);
      expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
      expect(task.reason).toContain("leads to /etc, which belongs to the system");
    } finally {
      await rm(outside);
    }
  });

  it("is refused if an approved directory was replaced by a link to another one, which the sandbox would allow", async () => {
    const parent = await realpath(await mkdtemp(join(tmpdir(), "nightshift-outside-")));
    const [approved, other] = [join(parent, "approved"), join(parent, "other")];
    await Promise.all([mkdir(approved), mkdir(other)]);
    await Promise.all([parent, approved, other].map((path) => chmod(path, 0o777)));
    const { submit, settled, commands } = await openStaged({
      plans: [{ ...PLAN, directories: [approved] }],
      execute: `echo x > ${approved}/note.txt; true`,
    });
    const waiting = await settled((await submit({ pipeline: "staged" })).id);
    await rm(approved, { recursive: true });
    await symlink(other, approved);
    try {
      await commands.approve(waiting.id, waiting.planHash, ALICE);
      const task = await settled(waiting.id);
      expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
      expect(task.reason).toContain(`${approved} leads through a link to ${other}.`);
      await expect(readFile(join(other, "note.txt"))).rejects.toThrow("ENOENT");
    } finally {
      await rm(parent, { recursive: true });
    }
  });
});

describe("a plan that a person edits", { timeout: 60_000 }, () => {
  const { outcome: _reported, ...CONTENT } = PLAN;

  it("is carried out as edited, and is a new version", async () => {
    const { submit, settled, commands } = await openStaged({
      plans: [PLAN],
      execute: "echo x > notes/a.md; mkdir reports; true",
    });
    const waiting = await settled((await submit({ pipeline: "staged" })).id);
    const edited = { planHash: waiting.planHash, plan: { ...CONTENT, directories: ["notes"] } };
    await commands.approveEdited(waiting.id, edited, ALICE);
    const task = await settled(waiting.id);
    expect(task).toMatchObject({ status: "succeeded", plan: { directories: ["notes"] } });
    expect(task.documents.map(({ version }) => version)).toEqual([1, 2]);
    expect(task.planHash).not.toBe(waiting.planHash);
    const { files } = await commands.apply(task.id, { force: false, dryRun: true }, ALICE);
    expect(files.map(({ path }) => path)).toEqual(["notes/a.md"]);
  });

  it("is refused with all problems, if it is invalid, forbidden or edited from an older version", async () => {
    const { submit, settled, commands } = await openStaged({ plans: [PLAN] });
    const { id, planHash } = await settled((await submit({ pipeline: "staged" })).id);
    const approve = (plan: object, hash = planHash) =>
      commands.approveEdited(id, { planHash: hash, plan: { ...plan } }, ALICE);
    await expect(approve({ ...CONTENT, prompt: "", tools: "all" })).rejects.toThrow(/prompt: .*\n- tools: /);
    await expect(approve({ ...CONTENT, directories: ["/", "~/.ssh/../.."] })).rejects.toThrow("cannot be used");
    await expect(approve(CONTENT, "0".repeat(64))).rejects.toThrow("changed since it was shown");
    expect(await settled(id)).toMatchObject({ status: "waiting", planHash });
  });
});

describe("a plan that asks for what cannot be granted", { timeout: 60_000 }, () => {
  const HOSTILE = { ...PLAN, directories: ["/etc", "../other", "~/.ssh", ".git/hooks"], network: ["evil.example"] };

  it("goes back to the planner once, with the problems", async () => {
    const staged = await openStaged({ plans: [HOSTILE, PLAN] });
    const waiting = await staged.settled((await staged.submit({ pipeline: "staged" })).id);
    expect(waiting).toMatchObject({ state: "staged", plan: { directories: ["reports"], problems: [] } });
    const [first] = await staged.runs(waiting.id);
    expect(first).toMatchObject({ outcome: "invalid_output" });
    expect(first?.error).toContain("/etc (to write) belongs to the system");
  });

  it("then waits for a person with the problems marked, and cannot be approved", async () => {
    const staged = await openStaged({ plans: [HOSTILE, HOSTILE] });
    const waiting = await staged.settled((await staged.submit({ pipeline: "staged" })).id);
    expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
    const problems = readExecutionPlan(waiting.plan)?.problems?.join("\n") ?? "";
    expect(problems).toContain('Host "evil.example" is not allowed');
    expect(problems).toContain('Directory "~/.ssh" starts with "~". Write it as an absolute path.');
    expect(problems).toContain('Directory ".git/hooks" is git\'s own data');
    expect(problems).toContain("/etc (to write) belongs to the system");
    expect(problems).toMatch(/other \(to write\) contains `\.\.`/);
    await expect(staged.commands.approve(waiting.id, waiting.planHash, ALICE)).rejects.toThrow(
      "asks for what cannot be granted",
    );
  });

  it("is not approved by itself either", async () => {
    const staged = await openStaged({ plans: [HOSTILE, HOSTILE] });
    const waiting = await staged.settled((await staged.submit({ pipeline: "staged", autoApprove: true })).id);
    expect(waiting).toMatchObject({ state: "staged", status: "waiting" });
  });

  it("is refused if a directory is a link in the repository", async () => {
    const staged = await openStaged({
      plans: [PLAN, PLAN],
      files: { "greeting.txt": "hello\n" },
    });
    await symlink("/etc", join(staged.repo.checkout, "reports"));
    await git(staged.repo.checkout, "add", "-A");
    await git(staged.repo.checkout, "commit", "-qm", "link");
    await git(staged.repo.checkout, "push", "-q", "origin", "HEAD");
    const waiting = await staged.settled((await staged.submit({ pipeline: "staged" })).id);
    expect(readExecutionPlan(waiting.plan)?.problems).toEqual([
      'Directory "reports" is a link in the repository. Ask for the directory that contains it.',
    ]);
  });
});
