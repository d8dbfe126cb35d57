import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Run } from "../../src/core/task/run.ts";
import { readAllFiles, openAgentNight } from "./agent-night.ts";
import { ALL_AGENTS, useTools } from "./real-agents.ts";

const CHECK = 'checks: { test: { command: "sh test.sh && grep -q world made.txt" } }\n';
const REPORT = { outcome: "implemented", summary: "It greets the world." };

describe.each(ALL_AGENTS)("%s", (_, agent) => {
  let implemented: Run | undefined;

  test("implements a chore in the sandbox and publishes a branch", async () => {
    const night = await openAgentNight(agent, {
      settings: CHECK,
      turns: [
        { text: "I write the greeting.", ...useTools(agent.create("made.txt", "hello, world")) },
        useTools(agent.shell("cat made.txt; env | sort; cat /proc/*/environ | tr '\\0' '\\n'")),
        useTools(agent.report(REPORT)),
        { text: "Done." },
      ],
    });
    const task = await night.settled((await night.submit()).id);
    const runs = await night.runs(task.id);
    const [run] = runs;
    if (run === undefined) throw new Error("expected a run");
    implemented = run;
    expect(task, run.error ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
    expect(await night.published(task, "made.txt")).toBe("hello, world");
    expect(runs.map(({ outcome }) => outcome)).toEqual(["implemented", "checks_passed", "published"]);
    expect(run).toMatchObject({
      agent: agent.kind,
      model: agent.model,
      sandbox: "enforce",
      sessionId: expect.stringMatching(/^[\w-]{20,}$/),
      payload: { summary: REPORT.summary },
    });
    const file = join(night.home, "runs", run.id, "outcome.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(REPORT);

    const events = await night.events(run);
    expect(events.filter(({ type }) => type === "raw")).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: "text", text: "I write the greeting." }));
    expect(events).toContainEqual(expect.objectContaining({ type: "session", id: run.sessionId }));
    const results = events.filter((event) => event.type === "tool_result");
    expect(results.map(({ failed }) => failed)).toEqual([false, false, false]);
    expect(results[2]?.output).toContain("Recorded: implemented.");

    // The gateway replaced the nonce by the key. Nothing inside had the key, so the requests need no redaction.
    const { requests } = night.model;
    expect(requests.filter(({ turn }) => turn !== null)).toHaveLength(4);
    for (const { headers } of requests) expect(JSON.stringify(headers)).toContain(night.key);
    const received = JSON.stringify(requests.map(({ body }) => body));
    expect(received).toContain("hello, world");
    expect(received).toContain("NIGHTSHIFT_ROLE=implement");
    expect(received).not.toContain(night.key);
    const bytes = readAllFiles(night.home);
    // With ACP, gemini does not pass on the output of commands.
    expect(bytes).toContain(agent.kind === "acp" ? "I write the greeting." : "NIGHTSHIFT_ROLE=implement");
    expect(bytes).not.toContain(night.key);
  });

  test("costs are metered by the gateway for each request", () => {
    const tokens = { input: 4000, output: 200, cacheRead: 0, cacheWrite: 0 };
    expect(implemented).toMatchObject({ costBasis: "metered", costUsd: expect.closeTo(agent.costUsd, 6), tokens });
  });
});
