import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openNight } from "../support/night.ts";

it("fallback agent: takes over when the first agent has no quota", async () => {
  const night = await openNight({
    timeoutMs: 60_000,
    agent: `echo '{"type":"error","message":"no quota until noon","failure":"usage_limit"}'; exit 1`,
    settings: "fallback_agent: other\n",
    userSettings: "sandbox: { mode: none }\nagents: { other: { kind: command, command: [./other.sh] } }\n",
  });
  onTestFinished(() => night.close());
  const other = join(night.home, "other.sh");
  await writeFile(
    other,
    `#!/bin/sh\ncat > /dev/null\necho "hello, other" > greeting.txt\nprintf '{"outcome":"implemented","summary":"greeted"}' > "$NIGHTSHIFT_OUTCOME_FILE"\n`,
  );
  await chmod(other, 0o755);
  const task = await night.settled((await night.submit()).id);
  const runs = (await night.runs(task.id)).filter(({ role }) => role === "implement");
  expect(runs.map(({ agent, outcome, attempt }) => [agent, outcome, attempt])).toEqual([
    ["mine", "usage_limit", 1],
    ["other", "implemented", 1],
  ]);
  expect(task).toMatchObject({ status: "succeeded", options: { agent: "other" } });
  expect(await night.published(task, "greeting.txt")).toBe("hello, other");
  const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 100 });
  expect(events.map(({ summary }) => summary)).toContain("the agent has used up its quota; other takes over");
});
