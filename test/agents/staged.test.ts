import { expect, test } from "vitest";
import { ALICE } from "../support/night.ts";
import { openAgentNight } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude } = REAL_AGENTS;
const SYSTEM_PROMPT = "Answer in one sentence, please.";
const PLAN = {
  outcome: "plan_complete",
  summary: "Write a note.",
  prompt: "Write notes/made.txt.",
  system_prompt: SYSTEM_PROMPT,
  tools: ["Write", "Read"],
  directories: ["notes"],
  commands: [],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.1 },
  reasoning: "One file.",
};

test("claude carries out a staged plan with exactly the approved tools, directories and system prompt", async () => {
  const night = await openAgentNight(claude, {
    turns: [
      useTools(claude.report({ ...PLAN, tools: ["Teleport"] })),
      { text: "Planned." },
      useTools(claude.report(PLAN)),
      { text: "Planned again." },
      useTools(claude.create("notes/made.txt", "hello")),
      useTools(claude.create("greeting.txt", "overwritten")),
      useTools(claude.shell("echo hello > notes/shell.txt")),
      useTools(claude.report({ outcome: "completed", summary: "Wrote it.", result: "The note says hello." })),
      { text: "Done." },
    ],
  });
  const waiting = await night.settled((await night.submit({ pipeline: "staged" })).id);
  expect(waiting, waiting.reason ?? "").toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
  const [first] = await night.runs(waiting.id);
  expect(first?.error).toContain('Tool "Teleport" does not exist. The agent has: Read, Glob,');
  await night.commands.approve(waiting.id, waiting.planHash, ALICE);
  const task = await night.settled(waiting.id);
  expect(task, task.reason ?? "").toMatchObject({ status: "succeeded", outcome: "completed" });
  const { files } = await night.commands.apply(task.id, { force: false, dryRun: true }, ALICE);
  expect(files).toEqual([{ path: "notes/made.txt", change: "created", problem: null }]);

  const sent = night.model.requests.map(({ body }) => JSON.stringify(body));
  expect(sent.at(0)).toContain("What a plan may ask for");
  const executing = sent.filter((body) => body.includes(SYSTEM_PROMPT) && body.includes("Your role: execute"));
  expect(executing.length).toBeGreaterThan(0);
  const last = night.model.requests.at(-1)?.body as {
    readonly system: unknown;
    readonly tools: readonly { name: string }[];
  };
  expect(JSON.stringify(last.system)).toContain(SYSTEM_PROMPT);
  expect(last.tools.map(({ name }) => name).toSorted()).toEqual(["Read", "Write", "mcp__nightshift__report_outcome"]);
});

test("claude plans with --json-schema where the report tool is missing", async () => {
  const submit = (plan: typeof PLAN) => useTools({ name: "StructuredOutput", input: plan });
  const night = await openAgentNight(claude, {
    turns: [submit({ ...PLAN, tools: ["Teleport"] }), { text: "Planned." }, submit(PLAN), { text: "Planned again." }],
  });
  const { agents } = night.wired.ports;
  Object.assign(agents, { findReportServer: () => null });
  const task = await night.settled((await night.submit({ pipeline: "staged" })).id);
  expect(task, task.reason ?? "").toMatchObject({ state: "staged", waitingFor: { kind: "approval" } });
  expect(task.plan).toMatchObject({ prompt: PLAN.prompt, tools: ["Write", "Read"] });
  const tools = night.model.requests.flatMap(({ body }) =>
    (body as { readonly tools: readonly { name: string }[] }).tools.map(({ name }) => name),
  );
  expect(tools).toContain("StructuredOutput");
  expect(tools.filter((name) => name.startsWith("mcp__"))).toEqual([]);
});
