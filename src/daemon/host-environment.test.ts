import { chmod, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findPrograms } from "../adapters/sandboxes/grants/find-programs.ts";
import { writeRecordedPath } from "../config/files/recorded-path.ts";
import { withRecordedPath } from "./host-environment.ts";
import { createVersionCheck } from "./wire/wire-agents.ts";

let home: string;
let tools: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "nightshift-host-")));
  tools = join(home, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "only-in-login"), "#!/bin/sh\necho 1.2.3\n");
  await chmod(join(tools, "only-in-login"), 0o755);
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

function record(path: string): void {
  writeRecordedPath(home, { path, from: "shell", shell: "/bin/sh", problem: null, recordedAt: 1 });
}

it("finds programs and agents on the recorded PATH of the login shell", async () => {
  const env = withRecordedPath({ PATH: "/usr/bin:/bin", HOME: home }, home);
  const program = { name: "only-in-login", versionArgs: ["--version"], oldest: "1.2.0", install: "Install it." };
  const check = createVersionCheck(env);
  expect(await check({ program })).toMatchObject({ problem: "only-in-login is not on the daemon's PATH. Install it." });
  record(`${tools}:/usr/bin`);
  expect(env["PATH"]).toBe(`/usr/bin:/bin:${tools}`);
  expect(await check({ program })).toEqual({ version: "1.2.3", problem: null });
  expect(findPrograms(["only-in-login", "sh"], env["PATH"] ?? "")).toMatchObject({
    missing: [],
    programs: [{ path: join(tools, "only-in-login") }, { name: "sh" }],
  });
});

it("follows changes of the recorded PATH and leaves other variables alone", async () => {
  const env = withRecordedPath({ PATH: "/usr/bin", KEY: "x" }, home);
  expect({ ...env }).toEqual({ PATH: "/usr/bin", KEY: "x" });
  record("/one");
  expect(env["PATH"]).toBe("/usr/bin:/one");
  record("/two");
  await utimes(join(home, "path.json"), new Date(), new Date(Date.now() + 5000));
  expect(env["PATH"]).toBe("/usr/bin:/two");
  await rm(join(home, "path.json"));
  expect(env["PATH"]).toBe("/usr/bin");
});
