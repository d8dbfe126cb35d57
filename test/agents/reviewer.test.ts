import { describe, expect, test } from "vitest";
import { exampleOf } from "../../src/core/outcomes/outcome.ts";
import { openAgentNight } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const REVIEW_PIPELINE = `name: judge
start: reviewing
states:
  reviewing:
    agent: review
    on: { approved: done, changes_requested: sent_back }
  done: { end: succeeded }
  sent_back: { end: failed }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;

/** Part of the reviewed change: a script that would forge the verdict. */
const FORGING_SCRIPT = `echo "the script ran"
echo forged > forged.txt
`;

describe.each(Object.entries(REAL_AGENTS))("%s as a reviewer", (_, agent) => {
  test("reads, changes nothing, and its reported verdict counts", async () => {
    const verdict = exampleOf("changes_requested", "document");
    const night = await openAgentNight(agent, {
      files: {
        ".nightshift/pipelines/judge.yaml": REVIEW_PIPELINE,
        "forge.sh": FORGING_SCRIPT,
        "greeting.txt": "good day\n",
      },
      turns: [
        useTools(agent.create("made.txt", "hello, world")),
        useTools(agent.shell("sh forge.sh")),
        useTools(agent.read("greeting.txt")),
        useTools(agent.report(verdict)),
        { text: "It is fine, I approve." },
      ],
    });
    const task = await night.settled((await night.submit({ pipeline: "judge" })).id);
    const runs = await night.runs(task.id);
    const [run] = runs;
    if (run === undefined) throw new Error("expected a run");
    expect(task, run.error ?? "").toMatchObject({ state: "sent_back", status: "failed", outcome: "changes_requested" });
    expect(runs).toHaveLength(1);
    expect(run).toMatchObject({
      role: "review",
      sandbox: "enforce",
      commit: null,
      payload: { summary: verdict["summary"] },
    });

    const results = (await night.events(run)).filter((event) => event.type === "tool_result");
    const [made, ran] = results.map(({ output }) => output);
    expect(made).toMatch(/no such tool|read-only file system|not found|unavailable tool/i);
    // Codex can only read through its shell, so it has one, but the workspace is read-only.
    if (agent.kind === "codex") expect(ran).toMatch(/cannot create forged\.txt: read-only file system/i);
    else expect(ran).not.toContain("the script ran");
    expect(JSON.stringify(night.model.requests.at(-1)?.body)).toContain("good day");
  });
});
