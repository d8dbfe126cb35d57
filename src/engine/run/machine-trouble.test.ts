import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { chmod, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import type { Script } from "../../testing/engine/scripted-supervisors.ts";
import { startDispatch } from "../dispatch.ts";

let world: EngineWorld;
let mounted: string | null = null;
afterEach(async () => {
  if (mounted !== null) execFileSync("umount", [mounted]);
  mounted = null;
  await world.close();
});

const script: Script = ({ role }) =>
  role === "analyze"
    ? { report: { outcome: "no_improvement", summary: "nothing", reason: "all is well", files_scanned: 1 } }
    : { files: { "greeting.txt": "hi\n" }, report: { outcome: "implemented", summary: "it greets" } };

async function open(): Promise<void> {
  world = await openEngineWorld({ script });
}

const home = (...names: string[]): string => join(world.repo.path, "home", ...names);
const getTask = async (id: string) => (await world.ports.store.tasks.getTask(id)) ?? expect.fail("no task");

async function wake(id: string): Promise<void> {
  await world.commands.retry(id, null, ADA);
}

/** Executes runs, waking the task after each, as often as its delays would. */
async function tryTimes(id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.drain(id);
    await wake(id);
  }
}

describe("a remote that is gone", () => {
  it("parks a chore with the reason, spends no attempt, and the task succeeds when the remote is back", async () => {
    await open();
    const { id } = await world.submit();
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await tryTimes(id, 4);
    expect(await world.step(id)).toMatchObject({ outcome: "provider_down", attempt: 1, costUsd: 0 });
    const parked = await getTask(id);
    expect(parked).toMatchObject({ status: "queued", state: "implementing", queuedFor: { kind: "remote" } });
    expect(parked.queuedFor?.reason).toMatch(/^The remote .*remote\.git cannot be reached/);
    expect(world.supervisors.started).toEqual([]);
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("spends no category of the nightly improvement", async () => {
    await open();
    const improve = { category: "docs", only: false, scheduledAt: null } as const;
    const { id } = await world.submit({ pipeline: "improve", improve });
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await tryTimes(id, 3);
    await world.drain(id);
    expect(await getTask(id)).toMatchObject({ status: "queued", items: { at: 0, tried: [] } });
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded", state: "no_improvement" });
  });

  it("parks a task that is about to publish, and the finished work is published later", async () => {
    await open();
    const { id } = await world.submit();
    await world.step(id);
    await world.step(id);
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await tryTimes(id, 2);
    await world.drain(id);
    expect(await getTask(id)).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "remote" } });
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(world.supervisors.started).toEqual(["agent:implement"]);
  });
});

/** A task whose work is finished and checked. */
async function finishedWork(): Promise<string> {
  await open();
  const { id } = await world.submit();
  await world.step(id);
  await world.step(id);
  return id;
}

async function expectParked(id: string): Promise<void> {
  await tryTimes(id, 3);
  expect(await world.step(id)).toMatchObject({ outcome: "provider_down", attempt: 1 });
  const parked = await getTask(id);
  expect(parked).toMatchObject({ status: "queued", state: "publishing", queuedFor: { kind: "remote" } });
  expect(parked.queuedFor?.reason).toMatch(/remote\.git could not store "agent\/.*Check the disk/);
}

async function writeHook(message: string): Promise<void> {
  const hooks = join(world.repo.remote, "hooks");
  await mkdir(hooks, { recursive: true });
  await writeFile(join(hooks, "pre-receive"), `#!/bin/sh\necho '${message}' >&2\nexit 1\n`, { mode: 0o755 });
}

describe("a remote that answers, but does not store the push", () => {
  it("its objects cannot be written: parks the task until it is fixed", async () => {
    const id = await finishedWork();
    const packs = join(world.repo.remote, "objects/pack");
    await rename(packs, `${packs}.away`);
    await writeFile(packs, "");
    execFileSync("git", ["-C", world.repo.remote, "config", "receive.unpackLimit", "1"]);
    await expectParked(id);
    await rm(packs);
    await rename(`${packs}.away`, packs);
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it.skipIf(!canMount())("its disk is read-only: parks the task (skipped without the right to mount)", async () => {
    const id = await finishedWork();
    const { remote } = world.repo;
    execFileSync("mount", ["--bind", remote, remote]);
    mounted = remote;
    execFileSync("mount", ["-o", "remount,bind,ro", remote]);
    await expectParked(id);
    unmount();
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it.each([
    ["its hook reports a full disk", "fatal: write error: No space left on device"],
    ["it is in maintenance", "The repository is temporarily read-only. Please try again later."],
  ])("%s: parks the task until it is fixed", async (_, message) => {
    const id = await finishedWork();
    await writeHook(message);
    await expectParked(id);
    await rm(join(world.repo.remote, "hooks/pre-receive"));
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("a rule declines the branch: fails with its words, keeps the work, and a retry publishes it", async () => {
    const id = await finishedWork();
    await writeHook("Only maintainers may push here.");
    const failed = await world.drain(id);
    expect(failed).toMatchObject({ status: "failed", state: "failed", outcome: "publish_refused" });
    expect((await world.runs(id)).filter(({ step }) => step === "publish")).toHaveLength(1);
    expect(failed.reason).toMatch(/refused "agent\/.*pre-receive hook declined.*Only maintainers may push here\./);
    await rm(join(world.repo.remote, "hooks/pre-receive"));
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(world.supervisors.started).toEqual(["agent:implement"]);
  });
});

describe("directories of Nightshift that cannot be used", () => {
  it.each(["runs", "workspaces", "mirrors", "homes"])(
    "%s is a file: parks the task until it is fixed",
    async (name) => {
      await open();
      const { id } = await world.submit();
      await writeFile(home(name), "");
      await tryTimes(id, 3);
      expect(await world.step(id)).toMatchObject({ outcome: "provider_down", attempt: 1 });
      expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "machine" } });
      await rm(home(name));
      await wake(id);
      expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    },
  );

  // Root may write everywhere.
  it.skipIf(process.getuid?.() === 0).each(["runs", "workspaces", "mirrors", "homes"])(
    "%s may not be written: parks the task until it is fixed",
    async (name) => {
      await open();
      const { id } = await world.submit();
      await mkdir(home(name), { recursive: true });
      await chmod(home(name), 0o500);
      await world.drain(id);
      expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "machine" } });
      await chmod(home(name), 0o700);
      await wake(id);
      expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    },
  );

  it.skipIf(process.getuid?.() === 0)("a mirror may not be written: parks the task until it is fixed", async () => {
    await open();
    const first = await world.submit();
    expect(await world.drain(first.id)).toMatchObject({ status: "succeeded" });
    await world.repo.commit({ "later.txt": "later\n" }, "Change the base");
    await world.repo.git("push", "--quiet", "origin", "main");
    const { id } = await world.submit();
    // Only the files in `mirrors`, as if root had restored them from a copy.
    const mirrors = (await readdir(home("mirrors"))).map((name) => home("mirrors", name));
    execFileSync("chmod", ["-R", "a-w", ...mirrors]);
    await world.drain(id);
    execFileSync("chmod", ["-R", "u+w", ...mirrors]);
    expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "machine" } });
    await wake(id);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it.skipIf(!canMount())(
    "runs is read-only: parks the task until it is fixed (skipped without the right to mount)",
    async () => {
      await open();
      const { id } = await world.submit();
      mount(home("runs"), "ro,size=64k");
      await world.drain(id);
      expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "machine" } });
      unmount();
      await wake(id);
      expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    },
  );

  it.skipIf(!canMount())(
    "the disk is full: parks the task until there is space (skipped without the right to mount)",
    async () => {
      world = await openEngineWorld({ script, files: { "large.bin": Buffer.alloc(2_000_000, "x") } });
      const { id } = await world.submit();
      mount(home("workspaces"), "size=1m");
      await tryTimes(id, 3);
      expect(await world.step(id)).toMatchObject({ outcome: "disk_full", attempt: 1 });
      expect(await getTask(id)).toMatchObject({ status: "queued", queuedFor: { kind: "capacity" } });
      unmount();
      await wake(id);
      expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    },
  );
});

describe("a parked task", () => {
  it("is woken by resume as well as by retry", async () => {
    await open();
    const { id } = await world.submit();
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await world.drain(id);
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    expect(await world.step(id)).toBeNull();
    expect(await world.commands.resume(id, ADA)).toMatchObject({ status: "queued", queuedFor: null });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("starts after one resume, also if it was paused meanwhile", async () => {
    await open();
    const { id } = await world.submit();
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await world.drain(id);
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    await world.commands.pause(id, ADA);
    expect(await world.commands.resume(id, ADA)).toMatchObject({ status: "queued", queuedFor: null });
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
  });

  it("is woken when the daemon starts", async () => {
    await open();
    const { id } = await world.submit();
    await rename(world.repo.remote, `${world.repo.remote}.gone`);
    await world.drain(id);
    await rename(`${world.repo.remote}.gone`, world.repo.remote);
    const dispatch = await startDispatch(world.ports);
    try {
      await expect.poll(async () => (await getTask(id)).status, { timeout: 60_000 }).toBe("succeeded");
    } finally {
      await dispatch.stop();
    }
  });
});

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const path = mkdtempSync(join(tmpdir(), "nightshift-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4k", "tmpfs", path], { stdio: "ignore" });
    execFileSync("umount", [path]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(path);
  }
}

function mount(path: string, options: string): void {
  execFileSync("mkdir", ["-p", path]);
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
  mounted = path;
}

function unmount(): void {
  if (mounted !== null) execFileSync("umount", [mounted]);
  mounted = null;
}
