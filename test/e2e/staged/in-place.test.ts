import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readExecutionPlan } from "../../../src/core/outcomes/execution-plan.ts";
import { addPlain, approved, closeStaged, openStaged, planned, removeAfterTest } from "../../support/in-place.ts";
import { killSupervisor } from "../../support/killed-daemon.ts";
import { ALICE } from "../../support/night.ts";

afterEach(closeStaged);

const ATTACKS = [
  "mkdir -p .git/hooks",
  "echo evil > .git/hooks/post-checkout",
  "echo evil >> .git/config",
  "rm -rf .git",
  "mv .git moved",
  "mkdir .nightshift/prompts",
  "rmdir .nightshift",
  "echo 'sandbox: { mode: none }' >> nightshift.yaml",
  "rm -f nightshift.yaml",
  "mv nightshift.yaml other.yaml",
  "ln -sf /etc .git",
].join("; ");

describe("in-place task in a plain directory", { timeout: 60_000 }, () => {
  it("writes directly to the approved directory and to nothing else", async () => {
    const open = await openStaged({}, "echo '# Report' > reports/new/a.md; echo x > stray.txt; mkdir elsewhere");
    const dir = await addPlain(open);
    const task = await approved(open, { project: "plain" });
    expect(task).toMatchObject({ status: "succeeded", outcome: "completed", headCommit: null });
    expect(await readFile(join(dir, "reports/new/a.md"), "utf8")).toBe("# Report\n");
    expect(readdirSync(dir).toSorted()).toEqual(["nightshift.yaml", "reports"]);
    await expect(open.commands.apply(task.id, { force: false, dryRun: false }, ALICE)).rejects.toThrow(
      `are already in ${dir}: it worked in place`,
    );
  });

  it("has a planner that gets a map of the directory", async () => {
    const open = await openStaged({}, "true");
    const dir = await addPlain(open);
    await mkdir(join(dir, "texts"));
    await writeFile(join(dir, "texts/one.md"), "one");
    const { id } = await planned(open, { project: "plain" });
    const [planner] = await open.runs(id);
    const prompt = await readFile(join(open.home, "runs", planner?.id ?? "", "prompt.md"), "utf8");
    expect(prompt).toContain("- texts: 1 file, 3 B");
    expect(prompt).toContain("- nightshift.yaml");
  });

  it("cannot create .git or .nightshift although the whole directory is writable, and leaves no placeholder", async () => {
    const open = await openStaged({ directories: ["."] }, `${ATTACKS}; echo x > allowed.txt`);
    const dir = await addPlain(open);
    const before = await readFile(join(dir, "nightshift.yaml"), "utf8");
    const owner = await stat(dir);
    expect(await approved(open, { project: "plain" })).toMatchObject({ status: "succeeded" });
    expect(readdirSync(dir).toSorted()).toEqual(["allowed.txt", "nightshift.yaml"]);
    expect(await readFile(join(dir, "nightshift.yaml"), "utf8")).toBe(before);
    expect(await stat(dir)).toMatchObject({ uid: owner.uid, gid: owner.gid, mode: owner.mode });
  });

  it("does not start other pipelines, and says what to do", async () => {
    const open = await openStaged({}, "true");
    const dir = await addPlain(open);
    for (const pipeline of ["feature", "bug", "chore", "improve"])
      await expect(open.submit({ project: "plain", pipeline })).rejects.toMatchObject({
        message: `The pipeline "${pipeline}" needs a git repository and a workspace of its own, but ${dir} is not a git repository.`,
        hint: expect.stringContaining('Use the pipeline "staged"') as string,
      });
  });
});

describe("in-place task in a git repository", { timeout: 60_000 }, () => {
  it("changes the person's files, but not .git, nightshift.yaml and .nightshift", async () => {
    const open = await openStaged({ directories: ["."] }, `${ATTACKS}; echo hi > greeting.txt`);
    const { checkout } = open.repo;
    await mkdir(join(checkout, ".nightshift"));
    const list = (): string =>
      execFileSync("find", [".git", ".nightshift", "nightshift.yaml", "-ls"], { cwd: checkout }).toString();
    const before = list();
    expect(await approved(open, { inPlace: true })).toMatchObject({ status: "succeeded", baseCommit: null });
    expect(await readFile(join(checkout, "greeting.txt"), "utf8")).toBe("hi\n");
    expect(list()).toBe(before);
    expect(readdirSync(checkout)).not.toContain("moved");
  });

  it("cannot have a plan that needs git", async () => {
    const open = await openStaged({ needs_git: true }, "true");
    const waiting = await planned(open, { inPlace: true });
    expect(readExecutionPlan(waiting.plan)?.problems).toEqual([
      expect.stringContaining("`needs_git` is not possible: the task works in place") as string,
    ]);
    await expect(open.commands.approve(waiting.id, waiting.planHash, ALICE)).rejects.toThrow("cannot be granted");
  });

  it("is refused for a pipeline that publishes", async () => {
    const open = await openStaged({}, "true");
    await expect(open.submit({ pipeline: "chore", inPlace: true })).rejects.toThrow("so it cannot work in place");
  });
});

describe("directories of an in-place task", { timeout: 60_000 }, () => {
  it.each([
    ["a link", async (path: string) => symlink("/etc", path), 'Directory "target" is a link'],
    ["a file", async (path: string) => writeFile(path, ""), 'Directory "target" is a file'],
  ])("cannot be %s", async (_kind, make, problem) => {
    const open = await openStaged({ directories: ["target"] }, "true");
    await make(join(await addPlain(open), "target"));
    const waiting = await planned(open, { project: "plain" });
    expect(readExecutionPlan(waiting.plan)?.problems?.join("\n")).toContain(problem);
  });

  it("cannot contain a named pipe, which even the planner could use", async () => {
    const open = await openStaged({}, "true");
    execFileSync("mkfifo", [join(await addPlain(open), "pipe")]);
    const task = await planned(open, { project: "plain" });
    expect(task).toMatchObject({ state: "failed", status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("contains the named pipe pipe");
  });

  it("cannot be approved if the project is gone", async () => {
    const open = await openStaged({}, "true");
    const dir = await addPlain(open);
    const waiting = await planned(open, { project: "plain" });
    await rm(dir, { recursive: true });
    await expect(open.commands.approve(waiting.id, waiting.planHash, ALICE)).rejects.toThrow("folder does not exist");
  });

  it("are refused at the start if the project was replaced by a link", async () => {
    const open = await openStaged({ directories: ["."] }, "echo x > written.txt");
    const dir = await addPlain(open);
    const waiting = await planned(open, { project: "plain" });
    await rename(dir, `${dir}.old`);
    removeAfterTest(`${dir}.old`);
    await symlink(`${dir}.old`, dir);
    await open.commands.approve(waiting.id, waiting.planHash, ALICE);
    const task = await open.settled(waiting.id);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("is a link to");
    expect(readdirSync(`${dir}.old`)).toEqual(["nightshift.yaml"]);
  });
});

describe("in-place run that did not finish", { timeout: 60_000 }, () => {
  /** The executor writes a line for each start. */
  const START = "echo start >> starts.txt";

  it.each([
    ["failed", "exit 3"],
    ["reported nothing", "exit 0"],
  ])("waits for a person if it %s, and is not started again by itself", async (_what, end) => {
    const open = await openStaged({ directories: ["."] }, `${START}; ${end}`);
    const dir = await addPlain(open);
    const task = await approved(open, { project: "plain" });
    expect(task).toMatchObject({ status: "waiting", state: "running", waitingFor: { kind: "choice" } });
    expect(task.waitingFor).toMatchObject({
      reason: expect.stringContaining("works directly in your directories") as string,
    });
    expect(await readFile(join(dir, "starts.txt"), "utf8")).toBe("start\n");
  });

  it("waits for a person if its supervisor was killed, also after a restart", async () => {
    const open = await openStaged({ directories: ["."] }, `${START}; sleep 600`);
    const dir = await addPlain(open);
    const waiting = await planned(open, { project: "plain" });
    await open.commands.approve(waiting.id, waiting.planHash, ALICE);
    const starts = join(dir, "starts.txt");
    // The shell creates the file before it writes the line.
    const { id } = await open.until(waiting.id, () => existsSync(starts) && readFileSync(starts, "utf8") !== "");
    const run = (await open.runs(id)).findLast(({ role }) => role === "execute")?.id ?? "";
    killSupervisor(open.wired.ports.runFiles.dir(run));
    const task = await open.settled(id);
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    expect(await open.runs(id)).toMatchObject([{ role: "plan" }, { role: "execute", outcome: "interrupted" }]);
    await open.restart();
    expect(await open.settled(id)).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    expect(await readFile(starts, "utf8")).toBe("start\n");
    // The sandbox could not remove what it had put in the place of .git and .nightshift.
    expect(readdirSync(dir).toSorted()).toEqual(["nightshift.yaml", "starts.txt"]);
  });
});
