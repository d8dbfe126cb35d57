import { afterEach, expect, it } from "vitest";
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

const AGENT = `case "$NIGHTSHIFT_ROLE" in
  investigate) ${report(INVESTIGATED)} ;;
  review) ${report({ outcome: "approved", summary: "good", comments: [] })} ;;
  *) echo "hello, world" > greeting.txt; mkdir -p tests; echo "grep -q world greeting.txt" > tests/world.sh
     ${report({ outcome: "implemented", summary: "greets the world" })} ;;
esac`;

it("a bug fix whose test fails on the base commit is published as proven", async () => {
  night = await openNight({
    agent: AGENT,
    settings:
      "checks:\n  test: { command: 'for test in tests/*.sh; do test ! -f $test || sh $test || exit 1; done' }\n",
  });
  const { submit, settled, commands, wired } = night;
  const { id } = await settled((await submit({ pipeline: "bug" })).id);
  await commands.choose(id, { option: "opt-a", then: "implement" }, ALICE);
  expect(await settled(id)).toMatchObject({ status: "waiting", state: "merging" });
  const proof = (await wired.ports.store.tasks.listChecks(id)).find(({ name }) => name === "proof of the fix");
  expect(proof).toMatchObject({
    status: "passed",
    tail: "The tests of the change fail on the base commit and pass on the change.",
  });
});
