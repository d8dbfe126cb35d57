import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const report = (value: object): string => `echo '${JSON.stringify(value)}' > "$NIGHTSHIFT_OUTCOME_FILE"`;
const INVESTIGATED = {
  outcome: "investigation_complete",
  summary: "it greets only you",
  report: "The greeting does not mention the world.",
  options: [{ id: "opt-a", title: "Mention it", description: "Change the greeting." }],
  subtasks: [],
};

/** `tests`: what the implementer does besides the fix. */
const agent = (tests: string): string => `case "$NIGHTSHIFT_ROLE" in
  investigate) ${report(INVESTIGATED)} ;;
  review) ${report({ outcome: "approved", summary: "good", comments: [] })} ;;
  *) echo "hello, world" > greeting.txt; mkdir -p tests
     ${tests}
     ${report({ outcome: "implemented", summary: "greets the world" })} ;;
esac`;

const PROVES = `echo "grep -q world greeting.txt" > tests/world.sh`;
const PROVES_NOTHING = `echo "grep -q hello greeting.txt" > tests/world.sh`;
const SETTINGS =
  "checks:\n  test: { command: 'for test in tests/*.sh; do test ! -f $test || sh $test || exit 1; done' }\n";

async function fixBug(tests: string, settings = ""): Promise<Task> {
  night = await openNight({ timeoutMs: 100_000, agent: agent(tests), settings: `${SETTINGS}${settings}` });
  const { submit, settled, commands } = night;
  const { id } = await settled((await submit({ pipeline: "bug" })).id);
  await commands.choose(id, { option: "opt-a", then: "implement" }, ALICE);
  return settled(id);
}

async function proofsOf({ id }: Task): Promise<readonly (readonly [status: string, tail: string])[]> {
  const checks = (await night?.wired.ports.store.tasks.listChecks(id)) ?? [];
  return checks.filter(({ name }) => name === "proof of the fix").map(({ status, tail }) => [status, tail]);
}

async function promptsOfImplementers({ id }: Task): Promise<readonly string[]> {
  const runs = (await night?.runs(id)) ?? [];
  return runs
    .filter(({ role }) => role === "implement")
    .map((run) => readFileSync(join(night?.home ?? "", "runs", run.id, "prompt.md"), "utf8"));
}

describe("a bug fix", { timeout: 120_000 }, () => {
  it("whose test fails on the base commit is published as proven", async () => {
    const task = await fixBug(PROVES);
    expect(task).toMatchObject({ status: "waiting", state: "merging" });
    expect(await proofsOf(task)).toEqual([
      ["passed", "The tests of the change fail on the base commit and pass on the change."],
    ]);
    expect(await promptsOfImplementers(task)).toHaveLength(1);
  });

  it("whose test also passes without it is sent back once with that sentence, and can then be proven", async () => {
    const task = await fixBug(`if [ "$N" = 1 ]; then ${PROVES_NOTHING}; else ${PROVES}; fi`);
    expect(task).toMatchObject({ status: "waiting", state: "merging" });
    const proofs = await proofsOf(task);
    expect(proofs.map(([status]) => status)).toEqual(["failed", "passed"]);
    const [, second] = await promptsOfImplementers(task);
    expect(second).toContain(proofs[0]?.[1]);
  });

  it("whose test never proves anything is published as not proven", async () => {
    const task = await fixBug(PROVES_NOTHING);
    expect(task).toMatchObject({ status: "waiting", state: "merging" });
    expect((await proofsOf(task)).map(([status]) => status)).toEqual(["failed", "failed"]);
    expect(await promptsOfImplementers(task)).toHaveLength(2);
  });

  it("without a test is published, and the result says so", async () => {
    const task = await fixBug(":");
    expect(task).toMatchObject({ status: "waiting", state: "merging" });
    expect(await proofsOf(task)).toEqual([[expect.any(String), expect.stringContaining("no test")]]);
  });

  it("without a test waits for a person if the project requires a proof, and nothing is published", async () => {
    const task = await fixBug(":", "gates: { proof: require }\n");
    expect(task).toMatchObject({ state: "checking", waitingFor: { kind: "choice" } });
    expect(await night?.repo.git("ls-remote", "--heads", "origin", "agent/*")).toBe("");
  });
});
