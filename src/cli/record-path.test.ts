import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRecordedPath } from "../config/files/recorded-path.ts";
import type { CliContext } from "./context.ts";
import { recordPath } from "./record-path.ts";

let person: string;
let printed: string;

beforeEach(async () => {
  person = await realpath(await mkdtemp(join(tmpdir(), "nightshift-record-")));
  printed = "";
});
afterEach(async () => {
  await rm(person, { recursive: true });
});

async function record(shell: string): Promise<ReturnType<typeof readRecordedPath>> {
  const home = join(person, ".nightshift");
  const context: CliContext = {
    json: false,
    quiet: false,
    color: false,
    project: null,
    cwd: person,
    env: { HOME: person, SHELL: shell, PATH: "/of/the/caller:relative:/usr/bin" },
    interactive: false,
    out: () => undefined,
    progress: (text) => void (printed += text),
    warn: () => undefined,
  };
  await recordPath(context);
  return readRecordedPath(home);
}

it("record PATH: falls back to the caller's PATH with a note if the shell is missing", async () => {
  expect(await record("/no/such/shell")).toMatchObject({
    path: "/of/the/caller:/usr/bin",
    from: "caller",
    problem: expect.stringContaining("/no/such/shell cannot be started"),
  });
  expect(printed).toMatch(/^Note: the PATH of your login shell could not be read: \/no\/such\/shell cannot be started/);
});

it("record PATH: does not wait for a shell that hangs", async () => {
  const shell = join(person, "shell");
  await writeFile(shell, "#!/bin/sh\nsleep 300\n");
  await chmod(shell, 0o755);
  expect(await record(shell)).toMatchObject({ from: "caller", problem: expect.stringContaining("within 5 s") });
});

it("record PATH: prefers the shell's current PATH, then its earlier one, then the caller's", async () => {
  // This shell responds immediately, so that a slow machine is not mistaken for a hanging shell.
  const shell = join(person, "shell");
  const say = (path: string) => writeFile(shell, `#!/bin/sh\nPATH=${path}\neval "$2"\n`);
  await say("/one");
  await chmod(shell, 0o755);
  const first = await record(shell);
  expect(first).toMatchObject({ path: "/one", from: "shell", shell, problem: null });
  expect(await record("/no/such/shell")).toEqual(first);
  await say("/two");
  expect(await record(shell)).toMatchObject({ path: "/two", from: "shell" });
});

it("record PATH: an unusable home folder is not an error here", async () => {
  await writeFile(join(person, ".git"), "");
  await expect(record("/bin/sh")).resolves.toBeNull();
  expect(printed).toBe("");
});
