import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeRecordedPath } from "../../config/files/recorded-path.ts";
import type { LoginPath } from "../detect/detect-login-path.ts";
import { checkLoginPath } from "./doctor-path.ts";
import { AGENTS } from "../../adapters/agents/index.ts";

let home: string;
let tools: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nightshift-doctor-path-"));
  tools = join(home, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "codex"), "#!/bin/sh\n");
  await chmod(join(tools, "codex"), 0o755);
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

function record(path: string, from: "shell" | "caller" = "shell"): void {
  writeRecordedPath(home, { path, from, shell: "/bin/zsh", problem: null, recordedAt: Date.UTC(2026, 10, 15) });
}

const loginPath = (path: string | null): LoginPath => ({
  shell: "/bin/zsh",
  path,
  problem: path === null ? "/bin/zsh did not print its PATH within 5 s" : null,
});

const check = (path: string | null) => checkLoginPath(home, {}, AGENTS, async () => loginPath(path));

it("doctor warns about a missing record and about agents that the daemon does not find", async () => {
  expect(await check(`${tools}:/usr/bin`)).toEqual([
    { name: "login PATH", ok: "warn", detail: expect.stringContaining("not recorded"), fix: expect.any(String) },
    {
      name: "daemon PATH",
      ok: "warn",
      detail: "your login shell finds codex, but neither the daemon's PATH nor the recorded PATH does",
      fix: expect.stringContaining("nightshift start"),
    },
  ]);
});

it("doctor accepts a record that contains all existing folders of the shell's PATH", async () => {
  record(`${tools}:/usr/bin`);
  expect(await check(`/usr/bin:${tools}:/no/longer/there`)).toEqual([
    { name: "login PATH", ok: "yes", detail: "2 folders, recorded on 2026-11-15 from /bin/zsh", fix: null },
  ]);
});

it("doctor warns about an outdated record", async () => {
  record("/usr/bin");
  const [recordFinding, daemonFinding] = await check(`${tools}:/usr/bin`);
  expect(recordFinding).toMatchObject({ ok: "warn", detail: expect.stringMatching(`^outdated: .* added ${tools}$`) });
  expect(daemonFinding).toMatchObject({ name: "daemon PATH" });
  // The running daemon has the folder on its own PATH.
  await writeFile(join(home, "daemon.json"), JSON.stringify({ pid: 1, path: `/bin:${tools}` }));
  expect(await check(`${tools}:/usr/bin`)).toHaveLength(1);
});

it("doctor warns about a shell that does not respond", async () => {
  record(tools, "caller");
  expect(await check(null)).toEqual([
    { name: "login PATH", ok: "warn", detail: expect.stringContaining("within 5 s"), fix: expect.any(String) },
  ]);
});
