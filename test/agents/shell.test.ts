import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAgentNight } from "./agent-night.ts";
import { ALL_AGENTS, REAL_AGENTS, useTools } from "./real-agents.ts";

/** Stand-ins, so that the test does not depend on the installed shells. Real ones of the machine come later in PATH. */
function installShells(): string {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-shells-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = '#!/bin/sh\necho "This is the wrong shell."\nexit 9\n';
  for (const name of ["zsh", "fish"]) writeFileSync(join(folder, name), script, { mode: 0o755 });
  return folder;
}

const CASES = [
  ...ALL_AGENTS.map(([name, agent]) => ({ name, agent, shell: "zsh" })),
  { name: "claude", agent: REAL_AGENTS.claude, shell: "fish" },
];

describe("the shell of agents", () => {
  test.each(CASES)("$name runs commands in bash if $shell is the login shell", async ({ agent, shell }) => {
    const programs = installShells();
    const night = await openAgentNight(agent, {
      programs,
      env: { SHELL: join(programs, shell) },
      settings: "sandbox: { commands: [git] }\n",
      turns: [
        useTools(agent.shell('echo "version $BASH_VERSION" > made.txt')),
        useTools(agent.report({ outcome: "implemented", summary: "It says its version." })),
        { text: "Done." },
      ],
    });
    const task = await night.settled((await night.submit()).id);
    const [run] = await night.runs(task.id);
    expect(task, run?.error ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
    expect(await night.published(task, "made.txt")).toMatch(/^version \d/);
  });
});
