import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codex } from "../../adapters/agents/codex/codex.ts";
import { createVersionCheck } from "./wire-agents.ts";

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
