import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../src/cli/daemon/find-daemon.ts";
import type { TaskJson } from "../../src/http/client/client.ts";
import { createUser, pollUntil, PROJECT_FILE, waitForExit, type User } from "../support/cli-user.ts";

let user: User;
const daemonPid = async (): Promise<number> => (await user.json<{ pid: number }>("start")).pid;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  await user.json("trust", "--yes");
}, 60_000);

afterAll(async () => {
  await user.cleanUp();
}, 60_000);

describe("a daemon that does not answer", { timeout: 180_000 }, () => {
  it("is reported by every command with exit code 4, its pid and what to do; stop --force ends it", async () => {
    const pid = await daemonPid();
    process.kill(pid, "SIGSTOP");
    const commands = [["status"], ["queue"], ["start"], ["stop"], ["submit", "x"]];
    for (const result of await Promise.all(commands.map((args) => user.run(...args)))) {
      expect(result).toMatchObject({ code: 4, stdout: "" });
      expect(result.stderr).toContain("does not answer");
      expect(result.stderr).toContain(`pid ${pid}`);
      expect(result.stderr).toContain("nightshift stop --force");
      expect(result.stderr).toContain(join(user.home, "logs"));
    }
    expect(await user.run("stop", "--force")).toMatchObject({ code: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(await user.run("status")).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("No daemon is running."),
    });
    expect(await user.run("status", "--json")).toMatchObject({ code: 4, stdout: '{\n  "running": false\n}\n' });
  });

  it("display --follow and --wait continue where they were after the daemon was killed and started again", async () => {
    const pid = await daemonPid();
    const waiting = waitForExit(user.start("submit", "--pipeline", "chore", "Work SLOWLY", "--wait"));
    const [task] = await pollUntil(
      () => user.json<TaskJson[]>("queue", "--status", "running"),
      (tasks) => tasks.length === 1,
    );
    const id = task?.id ?? "";
    const follower = user.start("display", id, "--follow");
    const following = waitForExit(follower);
    let shown = "";
    follower.stdout?.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    await pollUntil(
      async () => shown,
      (text) => text.includes("reading the task"),
    );
    process.kill(pid, "SIGKILL");
    await pollUntil(
      () => user.run("status"),
      ({ code }) => code === 4,
    );
    expect(await daemonPid()).not.toBe(pid);
    await writeFile(user.go, "");
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining("succeeded in done") });
    const followed = await following;
    expect(followed).toMatchObject({ code: 0 });
    expect(followed.stdout.match(/reading the task/g)).toHaveLength(1);
    expect(followed.stdout).toContain("publish");
    await rm(user.go);
  });
});

it(
  "a daemon of another version or commit: every command says so and how to restart it",
  { timeout: 60_000 },
  async () => {
    await daemonPid();
    const file = join(user.home, "daemon.json");
    const written = await readFile(file, "utf8");
    const { version } = JSON.parse(written) as { readonly version: string };
    expect((await user.run("queue")).stderr).toBe("");
    await writeFile(file, written.replace(version, `${version}x`));
    for (const command of ["queue", "status"]) {
      const { code, stderr } = await user.run(command);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining(
          `The daemon has version ${version}x, but this command has version ${version}. Run`,
        ),
      });
    }
    await writeFile(file, written);
  },
);
