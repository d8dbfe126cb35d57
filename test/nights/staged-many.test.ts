import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { filesBelow } from "../support/cleanup-checks.ts";
import { WAIT } from "../support/killed-daemon.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";
import { PLAN } from "../support/staged.ts";

const TASKS = 20;

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const AGENT = `case $NIGHTSHIFT_ROLE in
plan) printf '%s' '${JSON.stringify(PLAN)}' > "$OUT" ;;
execute) printf '{"outcome":"completed","summary":"done","result":"%s"}' "$NIGHTSHIFT_TASK" > "$OUT" ;;
esac`;

describe("many staged tasks at once", { timeout: 600_000 }, () => {
  it("are all planned, can be approved or rejected, and leave nothing behind", async () => {
    night = await openNight({
      agent: AGENT,
      timeoutMs: 300_000,
      userSettings: "sandbox: { mode: none }\nlimits: { concurrent_runs: 4 }\n",
    });
    const { submit, settled, commands, until, runs, home, wired } = night;
    const tasks = await Promise.all(Array.from({ length: TASKS }, () => submit({ pipeline: "staged" })));
    await Promise.all(
      tasks.map(async ({ id }, index) => {
        const waiting = await settled(id);
        expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
        if (index % 5 === 0) await commands.reject(id, null, ALICE);
        else await commands.approve(id, waiting.planHash, ALICE);
      }),
    );
    for (const [index, { id }] of tasks.entries()) {
      const rejected = index % 5 === 0;
      const ended = await until(id, ({ finishedAt }) => finishedAt !== null);
      expect(ended).toMatchObject({ status: rejected ? "cancelled" : "succeeded" });
      const executions = (await runs(id)).filter(({ role }) => role === "execute");
      expect(executions.map(({ payload }) => payload?.["result"])).toEqual(rejected ? [] : [id]);
    }
    expect(await wired.ports.store.tasks.listOpenRuns()).toEqual([]);
    for (const folder of ["workspaces", "homes", "s"])
      await expect.poll(() => filesBelow(join(home, folder)), WAIT).toEqual([]);
  });
});
