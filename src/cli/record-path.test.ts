import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readRecordedPath } from "../config/files/recorded-path.ts";
import type { CliContext } from "./context.ts";
import { recordPath } from "./record-path.ts";

let person: string;
let told: string;

beforeEach(async () => {
  person = await realpath(await mkdtemp(join(tmpdir(), "nightshift-record-")));
  told = "";
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
    tell: (text) => void (told += text),
    warn: () => undefined,
  };
  await recordPath(context);
  return readRecordedPath(home);
}

it("records the caller's PATH where the shell is missing, and says so", async () => {
  expect(await record("/no/such/shell")).toMatchObject({
    path: "/of/the/caller:/usr/bin",
    from: "caller",
    problem: expect.stringContaining("/no/such/shell cannot be started"),
  });
  expect(told).toMatch(/^note: the PATH of your login shell is not known: \/no\/such\/shell cannot be started/);
});

it("does not wait for a shell that hangs", async () => {
  const shell = join(person, "shell");
  await writeFile(shell, "#!/bin/sh\nsleep 300\n");
  await chmod(shell, 0o755);
  expect(await record(shell)).toMatchObject({ from: "caller", problem: expect.stringContaining("within 5 s") });
});

it("keeps what a shell said before over what the caller has, and takes what it says now over both", async () => {
  // A shell that answers by itself, so that a slow machine does not count as one that hangs.
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

it("leaves it to others to say that there is no home", async () => {
  await writeFile(join(person, ".git"), "");
  await expect(record("/bin/sh")).resolves.toBeNull();
  expect(told).toBe("");
});
