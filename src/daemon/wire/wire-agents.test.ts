import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codex } from "../../adapters/agents/codex/codex.ts";
import { builtInAgents, describeAgents } from "../../adapters/agents/create-agent.ts";
import { AGENTS } from "../../adapters/agents/index.ts";
import { checkAgent, createVersionCheck } from "./wire-agents.ts";

test("createVersionCheck: a known version is cached, a failed attempt is repeated", async () => {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-version-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const program = join(dir, "codex");
  const script = `#!/bin/sh\necho called >> ${dir}/log\n[ $(wc -l < ${dir}/log) -gt 2 ] && exit 1\n[ -e ${dir}/ready ] && echo 0.999.0\n`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  const check = createVersionCheck({ PATH: `${dir}:${process.env["PATH"] ?? ""}` });
  const agent = codex({ model: null });
  expect(await check(agent)).toMatchObject({ problem: expect.stringContaining("does not print its version") });
  writeFileSync(join(dir, "ready"), "");
  expect(await check(agent)).toEqual({ version: "0.999.0", problem: null });
  expect(await check(agent)).toEqual({ version: "0.999.0", problem: null });
});

const tested = AGENTS.flatMap((agent) => (agent.package === undefined ? [] : [{ kind: agent.kind, ...agent.package }]));

test.each(tested)(
  "$kind: a missing or outdated $program is unusable, and the problem names the command that installs the tested version",
  async ({ kind, program, package: name, tested: version, oldest }) => {
    const dir = mkdtempSync(join(tmpdir(), "nightshift-version-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const env = { PATH: `${dir}:/usr/bin:/bin`, ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
    const agent = describeAgents(AGENTS, builtInAgents(AGENTS)).find((each) => each.name === kind);
    if (agent === undefined) throw new Error(`there is no agent ${kind}`);
    const install = `Run \`npm install -g ${name}@${version}\``;

    const missing = `${program} is not on the daemon's PATH. ${install}`;
    expect(await checkAgent(agent, env)).toMatchObject({
      usable: false,
      version: null,
      oldestVersion: oldest,
      problem: expect.stringContaining(missing),
    });
    expect(await createVersionCheck(env)(agent)).toMatchObject({ problem: expect.stringContaining(missing) });

    const print = (text: string) => writeFileSync(join(dir, program), `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
    print(`${program} 0.0.9`);
    expect(await checkAgent(agent, env)).toMatchObject({
      usable: false,
      version: "0.0.9",
      problem: expect.stringContaining(`${program} is version 0.0.9; ${oldest} or newer is required. ${install}`),
    });
    // The hint must lead to a version that works.
    print(`${program} ${version}`);
    expect(await checkAgent(agent, env)).toMatchObject({ version, problem: expect.not.stringContaining("required") });
  },
);
