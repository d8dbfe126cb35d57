import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BudgetJson, CostsJson, TaskJson } from "../../src/http/client/client.ts";
import { createUser, type User } from "../support/cli-user.ts";
import { openNight } from "../support/night.ts";

let user: User;

/** Reports its usage, except for tasks that ask it not to. */
const AGENT = `#!/bin/sh
prompt=$(cat)
case "$prompt" in *SILENTLY*) ;; *)
  echo '{"type":"usage","tokens":{"input":1000,"output":20,"cache_read":300,"cache_write":4},"cost_usd":0.1,"model":"m-1"}' ;;
esac
echo hello > hello.txt
printf '{"outcome":"implemented","summary":"wrote hello.txt"}' > "$NIGHTSHIFT_OUTCOME_FILE"
`;

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.home, "config.yaml"), "sandbox: { mode: none }\ntime_zone: Asia/Kathmandu\n");
  await writeFile(join(user.repo.path, "agent.sh"), AGENT);
  await writeFile(
    join(user.repo.checkout, "nightshift.yaml"),
    `project: shop\nagent: mine\nagents:\n  mine: { kind: command, command: ["${user.repo.path}/agent.sh"] }\n`,
  );
  // The login shell prints a greeting and has an additional folder on its PATH.
  const tools = join(user.repo.path, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "codex"), "#!/bin/sh\necho codex-cli 99.0.0\n");
  await chmod(join(tools, "codex"), 0o755);
  await writeFile(join(user.repo.path, ".profile"), `echo "Good evening"\nPATH="${tools}:$PATH"\n`);
  await user.json("init", "--yes");
});

afterAll(async () => {
  await user.cleanUp();
});

const submit = (text: string): Promise<TaskJson> =>
  user.json<TaskJson>("submit", "--pipeline", "chore", text, "--wait");
const costs = (...args: readonly string[]): Promise<CostsJson> => user.json<CostsJson>("costs", ...args);

describe("costs", () => {
  test("are grouped by the requested dimensions, and unknown costs are not zero", async () => {
    const known = await submit("Greet people");
    await submit("Greet people SILENTLY");
    expect(known.status).toBe("succeeded");
    const found = await costs("--by", "project,pipeline,role,agent");
    expect(found).toMatchObject({
      time_zone: "Asia/Kathmandu",
      rows: [{ project: "shop", pipeline: "chore", role: "implement", agent: "mine", runs: 2, cost_usd: 0.1 }],
      total: {
        runs: 2,
        cost_usd: 0.1,
        unknown_cost: 1,
        tokens: { input: 1000, output: 20, cache_read: 300, cache_write: 4 },
        unknown_tokens: 1,
        basis: { reported: 1, metered: 0, computed: 0, unknown: 1 },
      },
    });
    const plain = await user.run("costs", "--since", "2d");
    expect(plain.stdout.split("\n")[0]).toBe("DAY\tRUNS\tINPUT\tOUTPUT\tCACHE READ\tCACHE WRITE\tCOST\tUNKNOWN\tBASIS");
    expect(plain.stdout).toContain("\t2\t1000\t20\t300\t4\t0.1\t1\treported 1, unknown 1\n");
    expect((await costs("--project", "shop")).total.runs).toBe(2);
    expect(await user.run("costs", "--project", "none")).toMatchObject({ code: 2 });
  });

  test("are kept when their tasks are deleted", async () => {
    const before = await costs("--by", "agent");
    for (const { id } of await user.json<TaskJson[]>("queue")) await user.json("delete", id);
    expect(await user.json("queue")).toEqual([]);
    const after = await costs("--by", "agent");
    expect(after.rows).toEqual(before.rows);
    expect(after.total).toEqual(before.total);
  });

  test("are shown with the limit if there is one", async () => {
    expect(await user.json("status")).toMatchObject({ budgets: [] });
    await writeFile(
      join(user.home, "config.yaml"),
      "sandbox: { mode: none }\ntime_zone: Asia/Kathmandu\nbudget: { night_usd: 5, month_usd: 90.5 }\n",
    );
    const { budgets } = await user.json<{ budgets: readonly BudgetJson[] }>("status");
    const use = { project: null, spent_usd: 0.1, reserved_usd: 0, runs: 1, running: 0, unknown_cost: 1 };
    expect(budgets).toMatchObject([
      { window: "night", limit_usd: 5, time_zone: "Asia/Kathmandu", ...use },
      { window: "month", limit_usd: 90.5, ...use },
    ]);
    const result = await user.run("status");
    expect(result.stdout).toContain("tonight: $0.10 by 1 run, 1 run of unknown cost not counted; the limit is $5\n");
    expect(result.stdout).toContain("; the limit is $90.50\n");
    // A pipe gets only the rows.
    expect((await user.run("costs")).stdout).not.toContain("limit");
  });

  test("with unknown dimensions or invalid periods are refused", async () => {
    const result = await user.run("costs", "--by", "day,week");
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr).toContain("day, night, project, pipeline, role, agent, model");
    expect((await user.run("costs", "--since", "2026-11-02", "--until", "2026-11-01")).stderr).toContain(
      "before it starts",
    );
  });
});

describe("PATH of the login shell", () => {
  test("is recorded privately by init, so that a daemon with a minimal PATH finds its agents", async () => {
    const file = join(user.home, "path.json");
    const tools = join(user.repo.path, "tools");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ from: "shell", problem: null });
    const codex = (await user.json<{ name: string; program: string }[]>("agents")).find(({ name }) => name === "codex");
    expect(codex?.program).toBe(join(tools, "codex"));
    const result = await user.run("doctor");
    expect(result.stdout).toMatch(/✓ login PATH .*recorded on/);
    expect(result.stdout).not.toContain("daemon PATH");
  });
});

describe("step that fails after its agent ran", () => {
  test.each([
    ["where the work is collected", "collect" as const],
    ["where the end is written", "commit" as const],
  ])("%s: its cost is unknown", async (_where, step) => {
    const night = await openNight();
    try {
      const { workspaces, store } = night.wired.ports;
      const { commit } = store.tasks;
      if (step === "collect") workspaces.collect = () => Promise.reject(new Error("git is broken"));
      else
        store.tasks.commit = (params) =>
          params.endRun?.outcome === "implemented" ? Promise.reject(new Error("it broke")) : commit(params);
      const task = await night.settled((await night.submit()).id);
      expect(task).toMatchObject({ status: "failed", outcome: "agent_error" });
      const runs = await night.runs(task.id);
      expect(runs.at(-1)).toMatchObject({ costUsd: null, costBasis: "unknown" });
      const spent = await store.money.spent({ since: 0, until: 9e15, project: "shop" });
      expect(spent).toMatchObject({ runs: runs.length, unknownRuns: runs.length, knownUsd: 0 });
    } finally {
      await night.close();
    }
  });
});
