import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.ts";
import { ALICE, openNight, type Night } from "./night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

it("store: temporary write failures fail no task", async () => {
  night = await openNight();
  const { store } = night.wired.ports;
  const { commit } = store.tasks;
  let refused = 0;
  store.tasks.commit = async (params) => {
    // Fail every third write, like a full disk, so that each step is affected.
    if (params.lease === null || ++refused % 3 !== 0) return commit(params);
    throw new UserError("unavailable", "The disk is full; nothing was written.");
  };
  const task = await night.settled((await night.submit()).id);
  expect(refused).toBeGreaterThan(6);
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
