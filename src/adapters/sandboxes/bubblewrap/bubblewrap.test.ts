import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import { realSupervisors } from "../../../testing/real-supervisors.ts";
import { TEST_LIMITS, testPolicy } from "../../../testing/policy.ts";
import { openJobBench, printed } from "../../../testing/suites/supervisor/supervisor.suite.ts";
import { waitUntil } from "../../../testing/wait-until.ts";
import type { JobBench } from "../../../testing/suites/supervisor/supervisor.suite.ts";

const isRoot = process.getuid?.() === 0;

let bench: JobBench;
let cwd: string;
beforeEach(() => {
  bench = openJobBench(realSupervisors);
  cwd = makeFolder();
});

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-wall-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function jobOf(script: string, changes: Partial<SandboxPolicy> = {}) {
  return bench.job([{ argv: ["sh", "-c", script], policy: testPolicy(cwd, changes) }], { sandbox: "enforce" });
}

async function run(script: string, changes: Partial<SandboxPolicy> = {}) {
  const job = jobOf(script, changes);
  const record = await bench.run(job);
  return { job, record, lines: printed(job), code: record.commands[0]?.exit.code };
}

describe("bubblewrap: inside", () => {
  test("the command has its directory and its exit code", async () => {
    const { lines, code } = await run("pwd; echo new > made; exit 3");
    expect([lines, code]).toEqual([[cwd], 3]);
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("new\n");
  });

  test("the command receives stdin", async () => {
    const stdinFile = join(cwd, "prompt.md");
    writeFileSync(stdinFile, "do this\n");
    const command = { argv: ["cat"] as const, policy: testPolicy(cwd), stdinFile };
    const job = bench.job([command], { sandbox: "enforce" });
    await bench.run(job);
    expect(printed(job)).toEqual(["do this"]);
  });

  test("the environment contains only the policy's variables and the secrets", async () => {
    const policy = testPolicy(cwd, { env: { PATH: "/usr/bin:/bin", NAME: "a b=c" } });
    const secrets = { TOKEN: "not-for-others" };
    const job = bench.job([{ argv: ["env"], policy, secretNames: ["TOKEN"] }], { sandbox: "enforce", secrets });
    await bench.run(job);
    const names = printed(job).map((line) => line.split("=", 1).join());
    expect(names.toSorted()).toEqual(["NAME", "NIGHTSHIFT_RUN", "PATH", "PWD", "SHELL", "TOKEN"]);
  });

  test.each([null, ["git"]])(
    "the shell is bash whatever the login shell is, with the commands %j",
    async (commands) => {
      const programs = makeFolder();
      for (const name of ["zsh", "fish"])
        writeFileSync(join(programs, name), "#!/bin/sh\necho stand-in\n", { mode: 0o755 });
      const env = { PATH: `${programs}:${process.env["PATH"]}`, SHELL: join(programs, "zsh"), HOME: cwd };
      const script = 'basename "$SHELL"; "$SHELL" -c "echo \\$BASH" | sed s,.*/,,; grep -c ":$SHELL$" /etc/passwd';
      expect((await run(script, { env, commands })).lines).toEqual(["bash", "bash", "1"]);
    },
  );

  test("the command is not root, has no capabilities, and the filter is active", async () => {
    const { lines } = await run("grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status");
    const status = Object.fromEntries(lines.map((line) => line.split(/:\s+/)));
    expect(status).toMatchObject({ CapEff: "0000000000000000", NoNewPrivs: "1", Seccomp: "2" });
    expect(status["Uid"]).not.toMatch(/^0\t/);
    if (isRoot) expect(status["CapBnd"]).toBe("0000000000000000");
  });

  test("two runs started by root have different users", async () => {
    const [one, two] = [await run("id -u"), await run("id -u")];
    expect(one.lines[0] === two.lines[0]).toBe(!isRoot);
  });

  test("git works, also with objects in another directory", async () => {
    const script =
      "git init -q . && git config user.email a@b && git config user.name n && echo x > f && git add f && git commit -qm m && git log --oneline | wc -l";
    expect((await run(script)).lines).toEqual(["1"]);
  });

  test("a path below an inaccessible directory can be used", async () => {
    const closed = makeFolder();
    mkdirSync(join(closed, "given"));
    writeFileSync(join(closed, "given", "seen"), "yes\n");
    writeFileSync(join(closed, "unseen"), "no\n");
    chmodSync(closed, 0o700);
    const own = { write: [cwd], read: [join(closed, "given")] };
    expect((await run(`cat ${closed}/given/seen; ls ${closed}`, { own })).lines).toEqual(["yes", "given"]);
  });
});

describe("bubblewrap: writable paths", () => {
  test("are the run's own directories, /tmp and /dev/shm only", async () => {
    const { lines } = await run(
      "for d in . /tmp /dev/shm / /dev /etc /usr /run /proc/sys /var; do (echo x > $d/probe) 2>/dev/null && echo $d; done",
    );
    expect(lines).toEqual([".", "/tmp", "/dev/shm"]);
  });

  test("granted paths have the granted rights, and protected paths inside stay read-only", async () => {
    const [writable, readable] = [makeFolder(), makeFolder()];
    // Granted paths keep their owner, so the mode must allow the user inside to write.
    chmodSync(writable, 0o777);
    chmodSync(readable, 0o777);
    mkdirSync(join(cwd, "island"));
    const script = `for d in ${writable} ${readable} island; do (echo x > $d/probe) 2>/dev/null && echo wrote $d; done; ls -d ${readable}`;
    const { lines } = await run(script, { write: [writable], read: [readable], protect: [join(cwd, "island")] });
    expect(lines).toEqual([`wrote ${writable}`, readable]);
  });

  test("a program whose link lies in a granted folder works", async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o755);
    symlinkSync("/bin/echo", join(folder, "say"));
    const { record, lines } = await run(`${join(folder, "say")} hello`, {
      read: [folder],
      programs: [join(folder, "say")],
    });
    expect(record.error).toBeNull();
    expect(lines).toEqual(["hello"]);
  });

  test("a forbidden path rejects the run with all reasons", async () => {
    const { record } = await run("true", { write: ["/etc"], read: ["/nowhere/at/all", "relative"] });
    expect(record.error?.kind).toBe("sandbox_refused");
    for (const path of ["/etc", "/nowhere/at/all", "relative"]) expect(record.error?.message).toContain(path);
    expect(record.commands[0]?.endedBy).toBe("refused");
  });
});

describe("bubblewrap: hidden paths", () => {
  test("look empty, also through a link", async () => {
    mkdirSync(join(cwd, ".plugins"));
    writeFileSync(join(cwd, ".plugins", "evil.js"), "evil");
    mkdirSync(join(cwd, "elsewhere"));
    writeFileSync(join(cwd, "elsewhere", "evil.js"), "evil");
    symlinkSync("elsewhere", join(cwd, ".more"));
    writeFileSync(join(cwd, "config.json"), "evil");
    const hide = [".plugins", ".more", "config.json", "not-there"].map((name) => join(cwd, name));
    const { lines } = await run(
      "ls .plugins .more; cat config.json; (echo x > .plugins/x) 2>/dev/null || echo closed",
      {
        hide,
      },
    );
    expect(lines).toEqual([".more:", "", ".plugins:", "closed"]);
    expect(readFileSync(join(cwd, ".plugins", "evil.js"), "utf8")).toBe("evil");
  });
});

describe("bubblewrap: a read-only role", () => {
  const reader = { executes: false, own: { write: [], read: [] } };

  test("cannot write its directory or run programs in writable directories", async () => {
    cpSync("/bin/true", join(cwd, "program"));
    const home = makeFolder();
    const script = [
      "(echo x > f) 2>/dev/null || echo closed",
      "./program 2>/dev/null || echo not run here",
      "cp program /tmp/p && /tmp/p 2>/dev/null || echo not run in tmp",
      "cp program $HOME/p && $HOME/p 2>/dev/null || echo not run at home",
      "(echo x > /dev/shm/x) 2>/dev/null || echo no shm",
    ].join("; ");
    const own = { write: [home], read: [] };
    const { lines } = await run(script, { ...reader, own, env: { PATH: "/usr/bin:/bin", HOME: home } });
    expect(lines).toEqual(["closed", "not run here", "not run in tmp", "not run at home", "no shm"]);
  });

  test("a role that may execute runs the same program", async () => {
    cpSync("/bin/true", join(cwd, "program"));
    expect((await run("./program && echo ran")).lines).toEqual(["ran"]);
  });
});

function withNode(): SandboxPolicy["own"] {
  return { write: [cwd], read: [realpathSync(process.execPath)] };
}

describe("bubblewrap: the port of the model gateway", () => {
  const ask = `${realpathSync(process.execPath)} -e 'fetch("http://127.0.0.1:3129/v1/messages", { method: "POST", body: "x".repeat(1e6) }).then(async (r) => console.log(r.status, (await r.json()).error.message), (e) => console.log(e.cause.code))'`;
  test("explains to an agent that the run has no gateway", async () => {
    const { lines } = await run(ask, { own: withNode(), answersNoModel: true });
    expect(lines).toEqual([expect.stringMatching(/^503 This run has no model gateway, /)]);
  });

  test("is closed for the project's commands, which start without the relay", async () => {
    expect((await run(ask, { own: withNode() })).lines).toEqual(["ECONNREFUSED"]);
  });
});

describe("bubblewrap: commands", () => {
  test("only the listed ones exist, and the others print which are allowed", async () => {
    const script = "git --version > /dev/null && echo git; perl -e 1; /usr/bin/perl -e 1; echo $?";
    const { lines, job } = await run(script, { commands: ["git"] });
    expect(lines).toEqual(["git", "127"]);
    const all = readFileSync(join(job.dir, "transcript.jsonl"), "utf8");
    expect(all).toMatch(/\\"perl\\" is not available here/);
  });

  test("a missing program is reported as a start error of the command", async () => {
    const job = bench.job([{ argv: ["no-such-program"], policy: testPolicy(cwd) }], { sandbox: "enforce" });
    const record = await bench.run(job);
    expect(record.error).toBeNull();
    expect(record.commands[0]?.startError).toMatch(/"no-such-program" is not on this machine's PATH/);
  });
});

describe("bubblewrap: limits", () => {
  test("the number of processes", async () => {
    const limits = { ...TEST_LIMITS, processes: 20 };
    const { lines } = await run("i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done 2>&1; echo all", { limits });
    expect(lines.at(-1)).not.toBe("all");
  });

  test("the processor time of one process, reported by the shell; other processes continue", async () => {
    const limits = { ...TEST_LIMITS, cpuSeconds: 1 };
    const { lines, job, code } = await run("sh -c 'while :; do :; done'; echo $?; exit 4", { limits });
    expect([lines, code]).toEqual([["152"], 4]);
    expect(printed(job, "stderr").join("\n")).toMatch(/CPU time limit exceeded/);
  });

  test("no limit of processor time if it is null", async () => {
    const { lines } = await run("ulimit -t; ulimit -H -t", { limits: { ...TEST_LIMITS, cpuSeconds: null } });
    expect(lines).toEqual(["unlimited", "unlimited"]);
  });

  test("the size of a file", async () => {
    const limits = { ...TEST_LIMITS, fileBytes: 1024 * 1024 };
    await run("dd if=/dev/zero of=big bs=64k count=64", { limits });
    expect(readFileSync(join(cwd, "big")).length).toBe(1024 * 1024);
  });

  test("System V shared memory, with the number of segments that the filter assumes", async () => {
    expect((await run("cat /proc/sys/kernel/shmmni")).lines).toEqual(["4096"]);
  });

  test("the temporary directory", async () => {
    const limits = { ...TEST_LIMITS, tmpBytes: 1024 * 1024 };
    const { code } = await run("dd if=/dev/zero of=/tmp/big bs=64k count=64 2>/dev/null", { limits });
    expect(code).not.toBe(0);
  });

  test("the memory of all processes together, which the kernel does not limit", async () => {
    const limits = { ...TEST_LIMITS, treeMemoryBytes: 150 * 1024 ** 2 };
    const hog = `${process.execPath} -e 'const a = Buffer.alloc(120e6, 1); setTimeout(() => a, 20000)'`;
    const { record } = await run(`${hog} & ${hog} & wait`, { limits, own: { write: [cwd], read: [process.execPath] } });
    expect(record.commands[0]?.endedBy).toBe("memory");
  });
});

function ticks(): number {
  const file = join(cwd, "ticks");
  return existsSync(file) ? readFileSync(file).length : 0;
}

describe("bubblewrap: a failed start", () => {
  test("is a sandbox error if one of our steps failed, and the command never ran", async () => {
    const file = join(cwd, "no-directory");
    writeFileSync(file, "");
    const { record } = await run("echo ran", { cwd: file, own: { write: [], read: [] } });
    expect(record.error).toMatchObject({ kind: "sandbox_refused" });
    expect(record.error?.message).toMatch(/^The sandbox did not start: cd: can't cd to \S+no-directory\. /);
    expect(record.commands).toMatchObject([{ endedBy: "refused", exit: { code: null } }]);
  });

  test.each([{}, { network: ["packages.example"] }])(
    "is the command's own result, whatever its exit code: %o",
    async (over) => {
      for (const code of [1, 2, 125, 126, 127, 137]) {
        const { record } = await run(`echo "nightshift: 1: cd: no" >&2; exit ${code}`, over);
        expect(record).toMatchObject({ error: null, commands: [{ endedBy: "exit", exit: { code } }] });
      }
    },
  );

  test("is an interruption if the workspace was deleted", async () => {
    rmSync(cwd, { recursive: true });
    const { record } = await run("echo started");
    expect(record.error).toMatchObject({
      kind: "internal",
      message: `The directory ${cwd} was removed before the command could start.`,
    });
  });

  test("leaves no descriptor of ours open in the command, with or without a relay", async () => {
    for (const network of [[], ["packages.example"]]) {
      // The fourth descriptor is the directory that ls reads.
      expect((await run("ls /proc/self/fd; ls /proc/1/fd 2>/dev/null | grep 6", { network })).lines).toEqual([
        "0",
        "1",
        "2",
        "3",
      ]);
    }
  });
});

describe("bubblewrap: process life cycle", () => {
  test("background processes end with the command", async () => {
    const { job, code } = await run("(setsid sleep 60 &) ; nohup sleep 60 > /dev/null 2>&1 & sleep 0.1; exit 0");
    expect(code).toBe(0);
    expect(realSupervisors.processesOf(job.run)).toEqual([]);
  });

  test("a stop signal reaches the command, which may end by itself", async () => {
    const job = jobOf("trap 'echo asked > asked; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    await bench.supervisors.start(job);
    await waitUntil(() => printed(job).includes("ready"));
    await bench.supervisors.control(job.dir, "stop");
    const result = await bench.watch(job.dir);
    expect(result).toMatchObject({ kind: "ended", record: { commands: [{ endedBy: "cancel", exit: { code: 0 } }] } });
    expect(existsSync(join(cwd, "asked"))).toBe(true);
  });

  test("a paused command does not run, and continues when resumed", async () => {
    const job = jobOf("echo ready; while :; do echo x >> ticks; sleep 0.02; done");
    await bench.supervisors.start(job);
    await waitUntil(() => ticks() > 4);
    await bench.supervisors.control(job.dir, "pause");
    const before = ticks();
    // Time in which a running command would write ticks.
    await new Promise((done) => setTimeout(done, 300));
    expect(ticks()).toBe(before);
    await bench.supervisors.control(job.dir, "resume");
    await waitUntil(() => ticks() > before);
    await bench.supervisors.control(job.dir, "kill");
    await bench.watch(job.dir);
  });

  test("nothing of the sandbox is left in the run directory", async () => {
    const { job } = await run("true", { executes: false });
    expect(existsSync(join(job.dir, ".wall"))).toBe(false);
  });
});
