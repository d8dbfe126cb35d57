import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { createUser, type User } from "../support/cli-user.ts";
import {
  createKilledDaemon,
  expectNoDoubleRuns,
  gated,
  killSupervisor,
  statesOf,
  WAIT,
  type KilledDaemon,
} from "../support/killed-daemon.ts";
import { PLAN } from "../support/staged.ts";

let user: User;

afterEach(() => user.cleanUp(), 60_000);

const agentProgram = (dir: string): string => `#!/bin/sh
cat > /dev/null
case $NIGHTSHIFT_ROLE in execute) mkdir -p reports; echo begun >> reports/parsers.md ;; esac
${gated(dir, "$NIGHTSHIFT_ROLE")}
case $NIGHTSHIFT_ROLE in
  plan) printf '%s' '${JSON.stringify(PLAN)}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
  *) echo done >> reports/parsers.md
     printf '{"outcome":"completed","summary":"done","result":"B is the fastest."}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
esac
`;

/** Submits a staged task to a project whose agent waits to be released in each run. */
async function submit(...options: readonly string[]): Promise<{ readonly daemon: KilledDaemon; readonly id: string }> {
  user = await createUser();
  const { repo } = user;
  const agent = join(repo.path, "gated.sh");
  await writeFile(agent, agentProgram(repo.path), { mode: 0o755 });
  const settings = { project: "shop", agent: "mine", agents: { mine: { kind: "command", command: [agent] } } };
  await writeFile(join(repo.checkout, "nightshift.yaml"), JSON.stringify(settings));
  // As root, agents run as another user.
  execFileSync("chmod", ["-R", "o+rwX", repo.checkout]);
  const daemon = createKilledDaemon(user);
  await daemon.call(["init", "--yes", "--no-run"]);
  const shown = await daemon.call(["submit", "--detach", ...options, "Compare the parsers", "--json"]);
  return { daemon, id: (JSON.parse(shown) as TaskJson).id };
}

const STATES = ["staged", "running", "completed"];

describe.each([
  ["in a workspace", []],
  ["in place", ["--in-place"]],
])("staged task %s: daemon that is killed", { timeout: 600_000 }, (_where, options) => {
  it("in each state: the task ends as usual, and the plan is carried out once", async () => {
    const { daemon, id } = await submit(...options);
    await daemon.killDuring("plan", "step.done:1");
    await daemon.waitForDeath(); // the plan was read, but is not stored
    await daemon.call(["start"]);
    const waiting = await daemon.killWhileWaiting(id, "staged", "run.taken:1");
    await daemon.approve(waiting).catch(() => "");
    await daemon.waitForDeath(); // between the approval and the start
    expect(daemon.started()).toEqual(["plan"]);
    await daemon.call(["start"], "supervisor.started:1").catch(() => "");
    await daemon.waitForDeath(); // the agent starts without a daemon
    await daemon.call(["start"]);
    await daemon.killDuring("execute", "step.done:1");
    await daemon.waitForDeath(); // the result and the files were read, but are not stored
    await daemon.call(["start"], "step.committed:1").catch(() => "");
    await daemon.waitForDeath(); // the result is stored, but the workspace is left
    await daemon.call(["start"]);
    await expect.poll(async () => (await daemon.show(id)).status, WAIT).toBe("succeeded");

    expect(daemon.started()).toEqual(["plan", "execute"]);
    const events = await daemon.events(id);
    expect(statesOf(events)).toEqual(STATES);
    expect(events.filter(({ type }) => type === "task.decided")).toHaveLength(1);
    expectNoDoubleRuns(events);
    expect((await daemon.show(id)).runs).toMatchObject([{ role: "plan" }, { role: "execute", outcome: "completed" }]);
    if (options.length === 0) await daemon.call(["apply", id]);
    expect(await readFile(join(user.repo.checkout, "reports/parsers.md"), "utf8")).toBe("begun\ndone\n");
    await daemon.expectEmpty("workspaces", "homes");
  });
});

describe("staged task in place", { timeout: 600_000 }, () => {
  it("is not started again by itself after daemon and supervisor were killed", async () => {
    const { daemon, id } = await submit("--in-place");
    daemon.release("plan");
    await expect.poll(async () => (await daemon.show(id)).status, WAIT).toBe("waiting");
    await daemon.approve(await daemon.show(id));
    await expect.poll(daemon.started, WAIT).toContain("execute");
    const run = (await daemon.show(id)).runs.at(-1)?.id ?? "";
    await daemon.kill();
    killSupervisor(join(user.home, "runs", run));
    await daemon.call(["start"]);
    await expect.poll(async () => (await daemon.show(id)).status, WAIT).toBe("waiting");
    expect(await daemon.show(id)).toMatchObject({ state: "running", waiting_for: { kind: "choice" } });
    await daemon.kill();
    await daemon.call(["start"]);
    expect(await daemon.show(id)).toMatchObject({ status: "waiting", waiting_for: { kind: "choice" } });
    expect(daemon.started()).toEqual(["plan", "execute"]);
  });
});
