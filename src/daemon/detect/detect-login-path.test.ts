import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askLoginShell } from "./detect-login-path.ts";

/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 60_000;

let home: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "nightshift-shell-")));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const ask = (over: Readonly<Record<string, string>> = {}, timeoutMs = PATIENCE_MS) =>
  askLoginShell({ HOME: home, SHELL: "/bin/bash", PATH: "/of/this/terminal", ...over }, timeoutMs);

async function writeShell(text: string): Promise<string> {
  const shell = join(home, "shell");
  await writeFile(shell, `#!/bin/sh\n${text}\n`);
  await chmod(shell, 0o755);
  return shell;
}

describe("a login shell", () => {
  it("says the PATH that its start files make, whatever else they print", async () => {
    await writeFile(
      join(home, ".profile"),
      'echo "Welcome! PATH=/not/this"\nprintf "no line end"\necho trouble >&2\n. "$HOME/.bashrc"\n',
    );
    // As many are: nothing for whom does not sit at it, and traces to the same place as the words.
    await writeFile(
      join(home, ".bashrc"),
      'case $- in *i*) ;; *) return ;; esac\nexport PATH="$HOME/tools:$PATH:relative:"\nexec 2>&1\nset -x\n',
    );
    const { shell, path, problem } = await ask();
    expect({ shell, problem }).toEqual({ shell: "/bin/bash", problem: null });
    const folders = path?.split(":") ?? [];
    expect(folders[0]).toBe(join(home, "tools"));
    expect(folders).toContain("/usr/bin");
    expect(folders).not.toContain("relative");
    expect(folders).not.toContain("/of/this/terminal");
    expect(folders).not.toContain("/not/this");
  });

  it("is not waited for once it has said it", async () => {
    await writeFile(join(home, ".profile"), 'PATH="$HOME/tools:$PATH"\ntrap "sleep 300" EXIT\nsleep 300 &\n');
    expect((await ask()).path).toContain(join(home, "tools"));
  });

  it("has no terminal to take", async () => {
    await writeFile(
      join(home, ".profile"),
      `if (: < /dev/tty) 2>/dev/null; then echo yes; else echo no; fi > ${home}/tty`,
    );
    await ask();
    expect(await readFile(join(home, "tty"), "utf8")).toBe("no\n");
  });

  it("has folders that are emptied replaced by what they lead to", async () => {
    const [real, link] = [join(home, "versions/24/bin"), join(home, "fnm_multishells/123")];
    await mkdir(real, { recursive: true });
    await mkdir(join(home, "fnm_multishells"));
    await symlink(real, link);
    await writeFile(join(home, ".profile"), `PATH="${link}:$PATH"\n`);
    expect((await ask()).path?.split(":")[0]).toBe(real);
  });
});

describe("a shell that does not say it is told in a sentence", () => {
  it("that hangs, and nothing of it stays", async () => {
    const shell = await writeShell(`echo $$ > ${home}/pid\nsleep 300 & sleep 300`);
    const started = ask({ SHELL: shell }, 5000);
    expect(await started).toEqual({ shell, path: null, problem: `${shell} did not say its PATH within 5 s` });
    const group = (await readFile(join(home, "pid"), "utf8")).trim();
    // A killed process may still be listed for a moment, as one that nobody has asked after.
    const left = (): string =>
      execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.trim().split(/\s+/)[0] === group && !line.includes("Z"))
        .join();
    await expect.poll(left, { timeout: PATIENCE_MS }).toBe("");
  });

  it("that is not there", async () => {
    expect(await ask({ SHELL: "/no/such/shell" })).toMatchObject({
      path: null,
      problem: expect.stringMatching(/^\/no\/such\/shell cannot be started .*ENOENT/),
    });
  });

  it("that refuses, prints without end, or has no folder", async () => {
    expect((await ask({ SHELL: await writeShell("exit 3") })).problem).toMatch(/ended with 3 without saying its PATH/);
    expect((await ask({ SHELL: await writeShell("yes") })).problem).toMatch(/prints without end/);
    await writeFile(join(home, ".profile"), "PATH=relative\n");
    expect((await ask()).problem).toMatch(/without any absolute folder/);
  });

  it("whose name is no path: then the system's word counts", async () => {
    expect((await ask({ SHELL: "bash" })).shell).not.toBe("bash");
  });
});
