import { afterEach, describe, expect, it } from "vitest";
import { git } from "../../src/testing/temp-repo.ts";
import { openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const END = "  done: { end: succeeded }\n  failed: { end: failed }\n  cancelled: { end: cancelled }\n";
const PUBLISH = "  publishing:\n    publish: true\n    on: { published: done }\n";

/** A pipeline that publishes without a check. */
const UNCHECKED = `name: own
start: implementing
states:
  implementing:
    agent: implement
    on: { implemented: publishing, no_changes: failed }
${PUBLISH}${END}`;

/** A pipeline in which an agent changes the files after the checks. */
const CHANGED_AFTER_CHECKS = `name: own
start: implementing
states:
  implementing:
    agent: implement
    on: { implemented: checking, no_changes: failed }
  checking:
    checks: true
    on: { checks_passed: polishing, checks_failed: failed, policy_failed: failed }
  polishing:
    agent: request_changes
    on: { implemented: publishing, no_changes: publishing }
${PUBLISH}${END}`;

const SECRET = ["planted", "value", "9f2c81aa", "of", "the", "test"].join("-");
const LEAK_SECRET = 'echo "key: $SHOP_TOKEN" > config.txt';
const WEAKEN_TEST = "printf 'test.skip(\"adds\", () => {\\n  expect(add(1, 2)).toBe(3);\\n});\\n' > add.test.js";
const VALID_CHANGE = "echo more >> greeting.txt";

async function runPipeline(pipeline: string, agent: string): Promise<{ task: Awaited<ReturnType<Night["settled"]>> }> {
  const options: NightOptions = {
    timeoutMs: 60_000,
    env: { ...process.env, SHOP_TOKEN: SECRET },
    settings: "secrets: { SHOP_TOKEN: { roles: [implement, request_changes] } }\n",
    files: {
      ".nightshift/pipelines/own.yaml": pipeline,
      "add.test.js": 'test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n',
    },
    agent: `${agent}\ndone_with ok`,
  };
  night = await openNight(options);
  return { task: await night.settled((await night.submit({ pipeline: "own" })).id) };
}

/** Returns the branches of the remote except main. */
async function pushedBranches(): Promise<string> {
  const refs = await git(night?.repo.remote ?? "", "for-each-ref", "--format=%(refname:short)", "refs/heads");
  return refs
    .split("\n")
    .filter((name) => name !== "main")
    .join("\n");
}

const afterImplement = (work: string): string =>
  `if [ "$NIGHTSHIFT_ROLE" = implement ]; then ${VALID_CHANGE}; else ${work}; fi`;

describe("publish: policy", { timeout: 120_000 }, () => {
  it.each([
    ["a secret that came in after the checks", CHANGED_AFTER_CHECKS, afterImplement(LEAK_SECRET), /config\.txt/],
    ["a weakened test, in a pipeline without checks", UNCHECKED, WEAKEN_TEST, /weakened_test add\.test\.js:1/],
    [
      "a test that was weakened after the checks",
      CHANGED_AFTER_CHECKS,
      afterImplement(WEAKEN_TEST),
      /weakened_test add\.test\.js:1/,
    ],
  ])("reviews the final change and does not push %s", async (_, pipeline, agent, reason) => {
    const { task } = await runPipeline(pipeline, agent);
    const last = (await night?.runs(task.id))?.at(-1);
    expect(last).toMatchObject({ step: "publish", outcome: "refused" });
    expect(last?.error).toMatch(/must not be published as it is/);
    expect(last?.error).toMatch(reason);
    expect(last?.error).not.toContain(SECRET);
    expect(await pushedBranches()).toBe("");
  });

  it("stops at the agent that keeps a secret after the warning, in a pipeline without checks", async () => {
    const { task } = await runPipeline(UNCHECKED, LEAK_SECRET);
    const runs = (await night?.runs(task.id)) ?? [];
    expect(runs.map(({ step, outcome }) => [step, outcome])).toEqual([
      ["agent", "policy_failed"],
      ["agent", "policy_failed"],
    ]);
    expect(runs.at(-1)?.error).toMatch(/config\.txt/);
    expect(runs.at(-1)?.error).not.toContain(SECRET);
    expect(task).toMatchObject({ status: "failed" });
    expect(await pushedBranches()).toBe("");
  });

  it("accepts a valid change in a pipeline without checks, and says that it is not verified", async () => {
    const { task } = await runPipeline(UNCHECKED, VALID_CHANGE);
    expect(task).toMatchObject({ status: "succeeded" });
    expect(task.reason).toContain("not verified: the pipeline has no checks");
    expect(await pushedBranches()).toBe(task.branch);
  });

  it("does not push a change that was made after the checks before a person decided", async () => {
    const { task } = await runPipeline(CHANGED_AFTER_CHECKS, afterImplement(VALID_CHANGE));
    expect(task).toMatchObject({
      status: "waiting",
      state: "publishing",
      waitingFor: { kind: "choice", about: "checks" },
    });
    expect(JSON.stringify(task.waitingFor)).toContain("it was changed after the checks");
    expect(await pushedBranches()).toBe("");
  });
});
