import { expect, test } from "vitest";
import { openAgentNight } from "./agent-night.ts";
import { testFailures } from "./failures.suite.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

testFailures("claude", 8);

test("claude: has one result even if it is asked to leave a command running in the background", async () => {
  const { claude } = REAL_AGENTS;
  const late = { command: "echo begun; sleep 1; echo late > late.txt", description: "try", run_in_background: true };
  const night = await openAgentNight(claude, {
    turns: [
      useTools(claude.create("made.txt", "hello, world")),
      useTools({ name: "Bash", input: late }),
      useTools(claude.report({ outcome: "implemented", summary: "It greets the world." })),
      { text: "Done." },
    ],
  });
  const task = await night.settled((await night.submit()).id);
  expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
  const [run] = await night.runs(task.id);
  if (run === undefined) throw new Error("expected a run");
  const results = (await night.lines(run)).filter(({ text }) => /"type":"result"/.test(text));
  expect(results).toHaveLength(1);
});
