import { expect, onTestFinished, test } from "vitest";
import type { FakeModel } from "../../src/testing/models/fake-model.ts";
import { openNight } from "../support/night.ts";
import { programDirOf, REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude: author, codex: reviewer } = REAL_AGENTS;

const CHECK = "test: { command: sh test.sh }";
const COMMENT = "Greet the world, not only a person.";
const PLAN = "## Plan\n1. Create made.txt with a greeting (low complexity).";

test("claude plans and implements a feature, codex reviews it, and its comments are worked in", async () => {
  const authorModel = await author.openModel([
    useTools(
      author.report({ outcome: "plan_complete", plan: PLAN, plan_summary: "Add a greeting.", subtasks: ["Add it"] }),
    ),
    { text: "The plan is ready." },
    useTools(author.create("made.txt", "hello, person")),
    useTools(author.report({ outcome: "implemented", summary: "It greets a person." })),
    { text: "Done." },
    useTools(author.shell("echo 'hello, world' > made.txt")),
    useTools(author.report({ outcome: "implemented", summary: "It greets the world." })),
    { text: "Changed." },
  ]);
  const reviewerModel = await reviewer.openModel([
    useTools(reviewer.read("made.txt")),
    useTools(
      reviewer.report({
        outcome: "changes_requested",
        summary: "It greets the wrong one.",
        comments: [{ file: "made.txt", line: 1, severity: "critical", comment: COMMENT }],
      }),
    ),
    { text: "Please change it." },
    useTools(reviewer.read("made.txt")),
    useTools(reviewer.report({ outcome: "approved", summary: "It greets the world.", comments: [] })),
    { text: "Good." },
  ]);
  const models = [author, reviewer].map(({ kind, model }) => `${kind}: { model: ${model} }`);
  const night = await openNight({
    agentName: author.kind,
    userSettings: "sandbox: { mode: enforce }\n",
    settings: `agents: { ${models.join(", ")} }\nroles: { review: { agent: ${reviewer.kind} } }\nchecks: { ${CHECK} }\n`,
    env: {
      PATH: [programDirOf(author), programDirOf(reviewer), process.env["PATH"]].join(":"),
      HOME: process.env["HOME"],
      LANG: process.env["LANG"],
      [author.keyName]: "key-of-the-author",
      [author.addressName]: authorModel.url,
      [reviewer.keyName]: "key-of-the-reviewer",
      [reviewer.addressName]: reviewerModel.url,
    },
    // Generous, for a machine with much other load.
    timeoutMs: 240_000,
  });
  onTestFinished(async () => {
    await night.close();
    await authorModel.close();
    await reviewerModel.close();
  });

  const submitted = await night.submit({
    pipeline: "feature",
    title: "Greet the world",
    description: "Add a greeting.",
  });
  const planned = await night.settled(submitted.id);
  expect(planned, planned.reason ?? "").toMatchObject({ state: "plan_review", waitingFor: { kind: "approval" } });
  await night.commands.approve(planned.id, planned.planHash, { kind: "person", name: "alice", rights: ["approve"] });

  const reviewed = await night.until(planned.id, ({ status }) => status !== "queued" && status !== "running");
  expect(reviewed, reviewed.reason ?? "").toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
  const runs = await night.runs(reviewed.id);
  expect(
    runs.filter(({ role }) => role !== null).map(({ role, agent, outcome }) => `${role} by ${agent}: ${outcome}`),
  ).toEqual([
    "plan by claude-code: plan_complete",
    "implement by claude-code: implemented",
    "review by codex: changes_requested",
    "request_changes by claude-code: implemented",
    "review by codex: approved",
  ]);
  expect(await night.published(reviewed, "made.txt")).toBe("hello, world");

  expect(sentTo(authorModel).filter((body) => body.includes(COMMENT)).length).toBeGreaterThan(0);
  expect(sentTo(authorModel).filter((body) => body.includes("low complexity")).length).toBeGreaterThan(2);
  const reviews = sentTo(reviewerModel);
  expect(reviews.at(0)).toContain("hello, person");
  expect(reviews.at(-1)).toContain(COMMENT);
  expect(JSON.stringify(reviewerModel.requests)).not.toContain("key-of-the-author");
  expect(JSON.stringify(authorModel.requests)).not.toContain("key-of-the-reviewer");
});

/** The requests that the model received. */
function sentTo({ requests }: FakeModel<unknown>): readonly string[] {
  return requests.map(({ body }) => JSON.stringify(body));
}
