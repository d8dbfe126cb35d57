import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.ts";
import type { TaskJson } from "../../src/http/client/client.ts";
import { createUser, pollUntil, PROJECT_FILE } from "../support/cli-user.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";

/** Its multiples are spread evenly, without a period. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

it("store: temporary write failures fail no task", async () => {
  night = await openNight({ timeoutMs: 90_000 });
  const { store } = night.wired.ports;
  const { commit } = store.tasks;
  let writes = 0;
  let failures = 0;
  store.tasks.commit = async (params) => {
    // Without a period, because otherwise it could always be the same write of a run.
    if (params.lease === null || (++writes * GOLDEN_RATIO) % 1 > 1 / 5) return commit(params);
    failures++;
    throw new UserError("unavailable", "The disk is full; nothing was written.");
  };
  const task = await night.settled((await night.submit()).id);
  expect(failures).toBeGreaterThan(1);
  expect(task).toMatchObject({ status: "succeeded" });
  expect(await night.path(task.id)).toEqual(["implementing>checking", "checking>publishing", "publishing>done"]);
});

it("kill: also ends checks that run on the base", async () => {
  const check = 'if grep -q world greeting.txt; then exit 1; fi; touch "$BEGUN"; sleep 60';
  night = await openNight({
    settings: `checks:\n  test: { command: '${check.replace("$BEGUN", "../../../../begun")}' }\n`,
  });
  const opened = night;
  const { id } = await opened.submit();
  await expect.poll(() => existsSync(join(opened.repo.path, "begun")), { timeout: 20_000 }).toBe(true);
  const run = (await opened.runs(id)).at(-1)?.id ?? "";
  const { supervisors, runFiles } = opened.wired.ports;
  expect(await supervisors.isAlive(runFiles.dir(`${run}/baseline`))).toBe(true);
  expect(await opened.commands.kill(id, ALICE)).toMatchObject({ status: "cancelled" });
  // The record exists, but the process may take a moment longer to exit.
  await expect.poll(() => supervisors.isAlive(runFiles.dir(`${run}/baseline`)), { timeout: 5_000 }).toBe(false);
});

it("store: while another program locks the database, reads work, submit is refused, no result is lost, and stop works", async () => {
  const user = await createUser();
  try {
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
    await user.json("trust", "--yes");
    const { id } = await user.json<TaskJson>("submit", "--pipeline", "chore", "Work SLOWLY");
    const status = async (): Promise<string> => (await user.json<TaskJson>("show", id)).status;
    await pollUntil(status, (each) => each === "running");
    const shell = new DatabaseSync(join(user.home, "nightshift.db"));
    shell.exec("begin exclusive");
    const submitted = user.run("submit", "--pipeline", "chore", "Work");
    // The agent ends now, and its result cannot be stored.
    await writeFile(user.go, "");
    expect(await status()).toBe("running");
    expect(await submitted).toMatchObject({ code: 1, stderr: expect.stringContaining("Another program has locked") });
    expect(await user.run("stop")).toMatchObject({ code: 0 });
    expect(existsSync(join(user.home, "daemon.json"))).toBe(false);
    shell.exec("commit");
    shell.close();
    await user.json("start");
    await pollUntil(status, (each) => each === "succeeded");
    expect(await user.json<TaskJson[]>("queue")).toHaveLength(1);
  } finally {
    await user.cleanUp();
  }
});
