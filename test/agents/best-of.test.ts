import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openNight } from "../support/night.ts";
import { programDirOf, REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude, codex } = REAL_AGENTS;

test("claude and codex implement a task at the same time, and codex ranks both without knowing which is whose", async () => {
  const claudeModel = await claude.openModel([
    useTools(claude.create("made.txt", "hello from the first")),
    useTools(claude.report({ outcome: "implemented", summary: "It greets." })),
    { text: "Done." },
  ]);
  const codexModel = await codex.openModel([
    useTools(codex.shell("echo 'hello from the second' > made.txt")),
    useTools(codex.report({ outcome: "implemented", summary: "It greets as well." })),
    { text: "Done." },
    useTools(codex.report({ outcome: "ranked", summary: "It is friendlier.", ranking: ["B", "A"] })),
    { text: "Ranked." },
  ]);
  const models = [claude, codex].map(({ kind, model }) => `${kind}: { model: ${model} }`);
  const night = await openNight({
    agentName: claude.kind,
    userSettings: "sandbox: { mode: enforce }\n",
    settings: `agents: { ${models.join(", ")} }\nroles: { review: { agent: ${codex.kind} } }\nchecks: { test: { command: sh test.sh } }\n`,
    env: {
      PATH: [programDirOf(claude), programDirOf(codex), process.env["PATH"]].join(":"),
      HOME: process.env["HOME"],
      LANG: process.env["LANG"],
      [claude.keyName]: "key-of-claude",
      [claude.addressName]: claudeModel.url,
      [codex.keyName]: "key-of-codex",
      [codex.addressName]: codexModel.url,
    },
    // Generous, for a machine with much other load.
    timeoutMs: 240_000,
  });
  onTestFinished(async () => {
    await night.close();
    await claudeModel.close();
    await codexModel.close();
  });

  const bestOf = [claude, codex].map(({ kind }) => ({ agent: kind, model: null }));
  const submitted = await night.submit({ title: "Greet", description: "Add a greeting.", bestOf });
  const done = await night.settled(submitted.id);
  expect(done, done.reason ?? "").toMatchObject({ status: "succeeded" });
  const [rank] = await night.runs(done.id);
  expect(rank).toMatchObject({ role: "rank", agent: codex.kind, outcome: "implemented" });
  const prompt = await readFile(join(night.home, "runs", rank?.id ?? "", "prompt.md"), "utf8");
  const [, best] = /: variant B>>>[^]*?\+hello from the (first|second)/.exec(prompt) ?? [];
  expect(await night.published(done, "made.txt")).toBe(`hello from the ${best}`);
  expect(done.options.implementer?.agent).toBe(best === "first" ? claude.kind : codex.kind);
  expect(prompt).not.toContain("It greets");
});
