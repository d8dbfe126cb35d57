import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import type { Task } from "../../src/core/task/task.ts";
import { createTempRepo } from "../../src/testing/temp-repo.ts";
import { createUser, pollUntil, type User } from "./cli-user.ts";
import { openNight, type Night } from "./night.ts";

vi.setConfig({ testTimeout: 180_000 });

/** Each run costs ten cents. The greeting of `bad` fails the check. The reviewer prefers the variant of `two`. */
const AGENT = `
HERE=$(dirname "$0")
PROMPT=$(cat)
echo '{"type":"usage","tokens":{"input":1000,"output":20,"cache_read":0,"cache_write":0},"cost_usd":0.1,"model":"m-1"}'
case "$NIGHTSHIFT_ROLE" in
rank)
  BEST=$(echo "$PROMPT" | awk '/DATA.*: variant /{ name = $NF } /^\\+hello from two/{ print substr(name, 1, 1) }')
  printf '{"outcome":"ranked","summary":"it is friendlier","ranking":["%s"]}' "$BEST" > "$OUT" ;;
review) printf '{"outcome":"approved","summary":"fine","comments":[]}' > "$OUT" ;;
*)
  case "$PROMPT" in *TOGETHER*)
    touch "$HERE/started-$1"
    while [ ! -e "$HERE/started-one" ] || [ ! -e "$HERE/started-two" ]; do sleep 0.05; done ;;
  esac
  case "$PROMPT" in *SLOWLY*) while [ ! -e "$HERE/go" ]; do sleep 0.05; done ;; esac
  [ "$1" = bad ] || echo "hello from $1" > greeting.txt
  [ "$1" != bad ] || echo "bye" > greeting.txt
  done_with "greets as $1" ;;
esac`;

const agentsOf = (program: string): string =>
  ["one", "two", "bad"].map((name) => `  ${name}: { kind: command, command: [${program}, ${name}] }\n`).join("");

const CHECKS = "checks:\n  test: { command: sh test.sh }\n";

const bestOf = (...agents: readonly string[]) => agents.map((agent) => ({ agent, model: null }));

async function variantsOf({ wired }: Night, { id }: Pick<Task, "id">): Promise<readonly Task[]> {
  const query = { status: null, state: null, project: null, cursor: null, limit: 50, variants: "only" } as const;
  const { rows } = await wired.ports.store.tasks.listTasks(query);
  return rows.filter(({ options }) => options.variantOf?.task === id);
}

const allRunning = ({ variants }: TaskJson): boolean =>
  variants.length > 0 && variants.every(({ status }) => status === "running");

describe("best of N in the engine", () => {
  let night: Night | null = null;

  afterEach(async () => {
    await night?.close();
    night = null;
  });

  async function open(): Promise<Night> {
    const repo = await createTempRepo({ "greeting.txt": "hello\n", "test.sh": "grep -q hello greeting.txt\n" });
    const agents = agentsOf(join(repo.path, "agent.sh"));
    night = await openNight({ repo, agent: AGENT, settings: `${agents}${CHECKS}`, timeoutMs: 120_000 });
    return night;
  }

  test("two agents work at the same time, the reviewer chooses, and all of it costs the task once", async () => {
    const { submit, settled, published, runs, wired } = await open();
    const { id } = await submit({ description: "Greet TOGETHER", bestOf: bestOf("one", "two") });
    const done = await settled(id);
    expect(done).toMatchObject({ status: "succeeded", options: { implementer: { agent: "two", model: null } } });
    expect(await published(done, "greeting.txt")).toBe("hello from two");
    expect((await runs(id)).map(({ role, step }) => role ?? step)).toEqual(["rank", "checks", "publish"]);
    const costs = await wired.ports.store.money.spent({ since: 0, until: 9e12, project: "shop" });
    expect(costs).toMatchObject({ runs: 3, knownUsd: 0.3 });
    await pollUntil(
      () => wired.ports.workspaces.list(),
      (left) => left.length === 0,
    );
  });

  test("the whole task stays within its budget", async () => {
    const { submit, settled } = await open();
    const { id } = await submit({ budgetUsd: 0.2, bestOf: bestOf("one", "two") });
    // The variants have spent it, so there is no ranking. The first one is taken, and publishing costs nothing.
    expect(await settled(id)).toMatchObject({ status: "succeeded", options: { implementer: { agent: "one" } } });
    if (night === null) throw new Error("expected an open night");
    expect((await variantsOf(night, { id })).map(({ options }) => options.budgetUsd)).toEqual([0.2 / 3, 0.2 / 3]);
    const costs = await night.wired.ports.store.money.spent({ since: 0, until: 9e12, project: "shop" });
    expect(costs).toMatchObject({ knownUsd: 0.2 });
  });

  test("a daemon that is restarted while the variants run continues with them", async () => {
    const { submit, settled, until, restart, repo } = await open();
    const { id } = await submit({ description: "Greet SLOWLY", bestOf: bestOf("bad", "two") });
    if (night === null) throw new Error("expected an open night");
    const current = night;
    await pollUntil(
      () => variantsOf(current, { id }),
      (variants) => variants.length === 2 && variants.every(({ status }) => status === "running"),
    );
    await restart();
    expect(await until(id, () => true)).toMatchObject({ queuedFor: { kind: "variants" } });
    await writeFile(join(repo.path, "go"), "");
    expect(await settled(id)).toMatchObject({ status: "succeeded", options: { implementer: { agent: "two" } } });
    expect((await variantsOf(current, { id })).map(({ status }) => status).toSorted()).toEqual(["failed", "succeeded"]);
  });
});

describe("best of N on the command line", () => {
  let user: User | null = null;

  afterEach(async () => {
    await user?.cleanUp();
    user = null;
  });

  async function createProject(): Promise<User> {
    const created = await createUser();
    user = created;
    const program = join(created.repo.path, "agents", "agent.sh");
    await mkdir(join(created.repo.path, "agents"));
    const start = `#!/bin/sh\nOUT=$NIGHTSHIFT_OUTCOME_FILE\ndone_with() { printf '{"outcome":"implemented","summary":"%s"}' "$1" > "$OUT"; }\n`;
    await writeFile(program, `${start}${AGENT}\n`);
    await chmod(program, 0o755);
    await created.repo.commit({ "greeting.txt": "hello\n", "test.sh": "grep -q hello greeting.txt\n" }, "greet");
    const settings = `project: shop\nagent: one\nagents:\n${agentsOf(program)}${CHECKS}`;
    await writeFile(join(created.repo.checkout, "nightshift.yaml"), settings);
    await created.run("trust", "--yes", "--no-run");
    return created;
  }

  test("show lists the variants, queue does not, and a killed daemon loses none of them", async () => {
    const { run, json, home, repo } = await createProject();
    const submitted = await json<TaskJson>("submit", "--pipeline", "chore", "--best-of", "two,bad", "Greet SLOWLY");
    expect(submitted).toMatchObject({ best_of: [{ agent: "two", model: null }, { agent: "bad" }] });
    const show = (): Promise<TaskJson> => json<TaskJson>("show", submitted.id);
    const before = await pollUntil(show, allRunning);
    expect((await run("queue")).stdout).not.toContain(before.variants[0]?.short_id);
    const { pid } = JSON.parse(await readFile(join(home, "daemon.json"), "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    expect((await show()).variants.map(({ id }) => id)).toEqual(before.variants.map(({ id }) => id));
    await writeFile(join(repo.path, "agents", "go"), "");
    const done = await pollUntil(show, ({ status }) => status === "succeeded");
    expect(done.variants).toMatchObject([
      { number: 1, agent: "two", outcome: "checks_passed", is_chosen: true, cost_usd: 0.1 },
      { number: 2, agent: "bad", outcome: "checks_failed", is_chosen: false, cost_usd: 0.1 },
    ]);
    expect(done.cost_usd).toBeCloseTo(0.2);
    for (const { commit, ref } of done.variants) expect([commit, ref]).not.toContain(null);
    expect((await run("show", done.id)).stdout).toMatch(/Variants\n.*\n.*two +succeeded +checks_passed.*yes/);
    const variant = done.variants[0]?.id ?? "";
    expect((await run("show", variant)).stdout).toContain(`variant 1 of ${done.id}`);
  });

  test("cancel ends the variants with their agents, and wrong agents are refused with the usable ones", async () => {
    const { run, json } = await createProject();
    const submitted = await json<TaskJson>("submit", "--pipeline", "chore", "--best-of", "one,two", "Greet SLOWLY");
    const show = (): Promise<TaskJson> => json<TaskJson>("show", submitted.id);
    await pollUntil(show, allRunning);
    await run("cancel", submitted.id);
    expect((await show()).variants).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
    const refused = await run("submit", "--pipeline", "chore", "--best-of", "one,nobody", "Greet");
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toMatch(/nobody: There is no agent `nobody`[^]*Agents that can be used: bad, .*one, .*two/);
    for (const wrong of ["one", "one,,two", "one,one,one,one,one,one"])
      expect((await run("submit", "--best-of", wrong, "Greet")).stderr).toContain("2 to 5 agents");
    expect((await run("submit", "--pipeline", "staged", "--best-of", "one,two", "Greet")).stderr).toContain(
      "no implement step",
    );
  });
});
