import { chmod, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readExecutionPlan } from "../../../src/core/outcomes/execution-plan.ts";
import { ALICE, openNight, type Night } from "../../support/night.ts";
import { openStaged, PLAN } from "../../support/staged.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

describe("options of a staged task", { timeout: 60_000 }, () => {
  it("stop a planner that takes longer than the planning timeout", async () => {
    night = await openNight({ agent: "exec sleep 600" });
    const { id } = await night.submit({ pipeline: "staged", planningTimeoutMs: 200 });
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "timeout" });
    expect((await night.runs(id)).map(({ outcome }) => outcome)).toEqual(["timeout", "timeout"]);
  });
});

describe("directories that a person adds", { timeout: 60_000 }, () => {
  let outside: string;
  beforeEach(async () => {
    outside = await mkdtemp(join(tmpdir(), "nightshift-allowed-"));
    // As root, the agent runs as another user.
    await chmod(outside, 0o777);
  });
  afterEach(() => rm(outside, { recursive: true, force: true }));

  it("are part of the approved plan, and can be written", async () => {
    const { submit, settled, commands, runs, home, repo } = (night = await openStaged({
      // A planner cannot add directories in the name of the person.
      plans: [{ ...PLAN, directories: [], added_directories: ["/srv"] }],
      execute: `echo direct > ${outside}/note.txt; echo inside > notes/a.md; mkdir elsewhere; true`,
    }));
    const allowDirs = [outside, join(repo.checkout, "notes")];
    const waiting = await settled((await submit({ pipeline: "staged", allowDirs })).id);
    expect(waiting.plan).toMatchObject({ directories: [], added_directories: allowDirs, problems: [] });
    const [planner] = await runs(waiting.id);
    expect(await readFile(join(home, "runs", planner?.id ?? "", "prompt.md"), "utf8")).toContain(
      `The person lets the executor write here, whatever the plan says: ${allowDirs.join(", ")}.`,
    );
    await commands.approve(waiting.id, waiting.planHash, ALICE);
    const task = await settled(waiting.id);
    expect(task).toMatchObject({ status: "succeeded" });
    expect(await readFile(join(outside, "note.txt"), "utf8")).toBe("direct\n");
    const { files } = await commands.apply(task.id, { force: false, dryRun: true }, ALICE);
    expect(files.map(({ path }) => path)).toEqual(["notes/a.md"]);
  });

  it("change the hash that an approval is bound to", async () => {
    const { submit, settled, commands } = (night = await openStaged({ plans: [PLAN] }));
    const plain = await settled((await submit({ pipeline: "staged" })).id);
    const added = await settled((await submit({ pipeline: "staged", allowDirs: [outside] })).id);
    expect(added.planHash).not.toBe(plain.planHash);
    await expect(commands.approve(added.id, plain.planHash, ALICE)).rejects.toThrow("changed since it was shown");
  });

  it("can be removed by a person who edits the plan", async () => {
    const { submit, settled, commands } = (night = await openStaged({
      plans: [PLAN],
      execute: `echo x > ${outside}/note.txt; true`,
    }));
    const waiting = await settled((await submit({ pipeline: "staged", allowDirs: [outside] })).id);
    const { problems: _checked, added_directories: _removed, ...plan } = readExecutionPlan(waiting.plan) ?? {};
    await commands.approveEdited(waiting.id, { planHash: waiting.planHash, plan }, ALICE);
    expect((await settled(waiting.id)).plan).not.toHaveProperty("added_directories");
    await expect(readFile(join(outside, "note.txt"))).rejects.toThrow("ENOENT");
  });

  it("are refused when the task is submitted, all at once", async () => {
    const { submit, home, repo } = (night = await openStaged({ plans: [PLAN] }));
    const link = join(outside, "link");
    await symlink("/etc", link);
    const allowDirs = ["/", "/usr/lib", homedir(), home, link, `${outside}/../x`, join(repo.checkout, ".git/hooks")];
    const refused = submit({ pipeline: "staged", allowDirs });
    await expect(refused).rejects.toThrow("The task cannot be allowed to write there:");
    const message = await refused.then(String, (error: Error) => error.message);
    expect(message.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(allowDirs.length);
    expect(message).toContain(`${link} (to write) leads to /etc, which belongs to the system`);
    expect(message).toContain('Directory ".git/hooks" is git\'s own data.');
    await expect(submit({ pipeline: "chore", allowDirs: [outside] })).rejects.toThrow("has no plan");
  });
});

const policy = (written: string) => `sandbox: { mode: enforce }\nauto_approve: ${written}\n`;

describe("auto_approve in config.yaml", { timeout: 60_000 }, () => {
  const READER = { ...PLAN, directories: [] };

  it("lets a plan that only reads run without a person, at most for the cost of the policy", async () => {
    const { submit, settled } = (night = await openStaged({ plans: [READER], userSettings: policy("{ max_usd: 1 }") }));
    const task = await settled((await submit({ pipeline: "staged", autoApprove: true })).id);
    expect(task).toMatchObject({ status: "succeeded", plan: { approval_reasons: [], limits: { usd: 1 } } });
  });

  it("makes any other plan wait, and says why", async () => {
    const { submit, settled, commands } = (night = await openStaged({
      // A planner cannot decide that its own plan needs no person.
      plans: [{ ...PLAN, approval_reasons: [], estimate: { tokens: 1, minutes: 1, usd: 2 } }],
      userSettings: policy("{ read_only: true, max_usd: 1, directories: [] }"),
      // Neither can the repository: the key is not one of its file.
      files: { ".nightshift/instructions.md": "auto_approve: { directories: [/] }\n" },
    }));
    const waiting = await settled((await submit({ pipeline: "staged", autoApprove: true })).id);
    expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
    expect(readExecutionPlan(waiting.plan)?.approval_reasons).toEqual([
      expect.stringContaining("reports. `auto_approve.directories` lists: nothing."),
      "It is estimated to cost $2. `auto_approve.max_usd` is 1.",
    ]);
    await commands.approve(waiting.id, waiting.planHash, ALICE);
    expect(await settled(waiting.id)).toMatchObject({ status: "succeeded" });
  });

  it("does not follow a link out of an allowed directory", async () => {
    const allowed = await realpath(await mkdtemp(join(tmpdir(), "nightshift-allowed-")));
    const other = await realpath(await mkdtemp(join(tmpdir(), "nightshift-other-")));
    try {
      await Promise.all([chmod(allowed, 0o777), chmod(other, 0o777)]);
      await symlink(other, join(allowed, "link"));
      const plan = { ...PLAN, directories: [allowed, join(allowed, "link")] };
      const userSettings = policy(`{ directories: ["${allowed}"] }`);
      const { submit, settled } = (night = await openStaged({ plans: [plan, plan], userSettings }));
      const waiting = await settled((await submit({ pipeline: "staged", autoApprove: true })).id);
      expect(readExecutionPlan(waiting.plan)).toMatchObject({
        problems: [`${join(allowed, "link")} leads through a link to ${other}. Name that directory.`],
        approval_reasons: [`It writes to ${other}. \`auto_approve.directories\` lists: ${allowed}.`],
      });
    } finally {
      await rm(allowed, { recursive: true });
      await rm(other, { recursive: true });
    }
  });

  it("covers what a person adds with --allow-dir like any other directory", async () => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), "nightshift-allowed-")));
    try {
      await chmod(outside, 0o777);
      const { submit, settled } = (night = await openStaged({ plans: [READER], userSettings: policy("{}") }));
      const draft = { pipeline: "staged", autoApprove: true, allowDirs: [outside] };
      expect(await settled((await submit(draft)).id)).toMatchObject({ state: "staged", status: "waiting" });
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("cannot be set by a project", async () => {
    night = await openStaged({ plans: [READER], settings: "auto_approve: { directories: [/] }\n" }).catch(
      (error: Error) => {
        expect(error.message).toContain("auto_approve");
        return null;
      },
    );
    expect(night).toBeNull();
  });
});
