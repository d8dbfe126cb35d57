import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readLoginPath } from "./detect-login-path.ts";

/** Long enough for a busy machine. */
const TIMEOUT_MS = 60_000;

let home: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "nightshift-shell-")));
});
afterEach(async () => {
  await rm(home, { recursive: true });
});

const read = (over: Readonly<Record<string, string>> = {}, timeoutMs = TIMEOUT_MS) =>
  readLoginPath({ HOME: home, SHELL: "/bin/bash", PATH: "/of/this/terminal", ...over }, timeoutMs);

async function writeShell(text: string): Promise<string> {
  const shell = join(home, "shell");
  await writeFile(shell, `#!/bin/sh\n${text}\n`);
  await chmod(shell, 0o755);
  return shell;
}

describe("readLoginPath", () => {
  it("returns the PATH that the startup files set, whatever else they print", async () => {
    await writeFile(
      join(home, ".profile"),
      'echo "Welcome! PATH=/not/this"\nprintf "no line end"\necho trouble >&2\n. "$HOME/.bashrc"\n',
    );
    // Like many startup files: does nothing unless interactive. Tracing goes to stdout.
    await writeFile(
      join(home, ".bashrc"),
      'case $- in *i*) ;; *) return ;; esac\nexport PATH="$HOME/tools:$PATH:relative:"\nexec 2>&1\nset -x\n',
    );
    const { shell, path, problem } = await read();
    expect({ shell, problem }).toEqual({ shell: "/bin/bash", problem: null });
    const folders = path?.split(":") ?? [];
    expect(folders[0]).toBe(join(home, "tools"));
    expect(folders).toContain("/usr/bin");
    expect(folders).not.toContain("relative");
    expect(folders).not.toContain("/of/this/terminal");
    expect(folders).not.toContain("/not/this");
  });

  it("does not wait for the shell to exit after it printed its PATH", async () => {
    await writeFile(join(home, ".profile"), 'PATH="$HOME/tools:$PATH"\ntrap "sleep 300" EXIT\nsleep 300 &\n');
    expect((await read()).path).toContain(join(home, "tools"));
  });

  it("gives the shell no terminal", async () => {
    await writeFile(
      join(home, ".profile"),
      `if (: < /dev/tty) 2>/dev/null; then echo yes; else echo no; fi > ${home}/tty`,
    );
    await read();
    expect(await readFile(join(home, "tty"), "utf8")).toBe("no\n");
  });

  it("replaces temporary folders by their link targets", async () => {
    const [real, link] = [join(home, "versions/24/bin"), join(home, "fnm_multishells/123")];
    await mkdir(real, { recursive: true });
    await mkdir(join(home, "fnm_multishells"));
    await symlink(real, link);
    await writeFile(join(home, ".profile"), `PATH="${link}:$PATH"\n`);
    expect((await read()).path?.split(":")[0]).toBe(real);
  });
});

describe("readLoginPath: problems", () => {
  it("kills a shell that hangs, with all its processes", async () => {
    const shell = await writeShell(`echo $$ > ${home}/pid\nsleep 300 & sleep 300`);
    const problem = `${shell} did not print its PATH within 5 s`;
    expect(await read({ SHELL: shell }, 5000)).toEqual({ shell, path: null, problem });
    const group = (await readFile(join(home, "pid"), "utf8")).trim();
    // A killed process stays listed as a zombie until it is reaped.
    const listProcesses = (): string =>
      execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.trim().split(/\s+/)[0] === group && !line.includes("Z"))
        .join();
    await expect.poll(listProcesses, { timeout: TIMEOUT_MS }).toBe("");
  });

  it("reports a shell that does not exist", async () => {
    expect(await read({ SHELL: "/no/such/shell" })).toMatchObject({
      path: null,
      problem: expect.stringMatching(/^\/no\/such\/shell cannot be started .*ENOENT/),
    });
  });

  it("reports a shell that fails, prints too much, or has no absolute folder", async () => {
    expect((await read({ SHELL: await writeShell("exit 3") })).problem).toMatch(
      /exited with 3 without printing its PATH/,
    );
    expect((await read({ SHELL: await writeShell("yes") })).problem).toMatch(/prints too much output/);
    await writeFile(join(home, ".profile"), "PATH=relative\n");
    expect((await read()).problem).toMatch(/without any absolute folder/);
  });

  it("uses the system's setting if SHELL is not an absolute path", async () => {
    expect((await read({ SHELL: "bash" })).shell).not.toBe("bash");
  });
});
