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
import { openJobBench, printed, until } from "../../../testing/suites/supervisor.suite.ts";
import type { JobBench } from "../../../testing/suites/supervisor.suite.ts";

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

describe("inside", () => {
  test("the command has its directory, its input and its exit code", async () => {
    const { lines, code } = await run("pwd; echo new > made; exit 3");
    expect([lines, code]).toEqual([[cwd], 3]);
    expect(readFileSync(join(cwd, "made"), "utf8")).toBe("new\n");
  });

  test("stdin reaches it", async () => {
    const stdinFile = join(cwd, "prompt.md");
    writeFileSync(stdinFile, "do this\n");
    const command = { argv: ["cat"] as const, policy: testPolicy(cwd), stdinFile };
    const job = bench.job([command], { sandbox: "enforce" });
    await bench.run(job);
    expect(printed(job)).toEqual(["do this"]);
  });

  test("it has the policy's environment, its secrets and nothing else", async () => {
    const policy = testPolicy(cwd, { env: { PATH: "/usr/bin:/bin", NAME: "a b=c" } });
    const secrets = { TOKEN: "not-for-others" };
    const job = bench.job([{ argv: ["env"], policy, secretNames: ["TOKEN"] }], { sandbox: "enforce", secrets });
    await bench.run(job);
    const names = printed(job).map((line) => line.split("=", 1).join());
    expect(names.toSorted()).toEqual(["NAME", "NIGHTSHIFT_RUN", "PATH", "PWD", "TOKEN"]);
  });

  test("it is no root, has no capability, and the filter is on", async () => {
    const { lines } = await run("grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status");
    const status = Object.fromEntries(lines.map((line) => line.split(/:\s+/)));
    expect(status).toMatchObject({ CapEff: "0000000000000000", NoNewPrivs: "1", Seccomp: "2" });
    expect(status["Uid"]).not.toMatch(/^0\t/);
    if (isRoot) expect(status["CapBnd"]).toBe("0000000000000000");
  });

  test("two runs of root are two users", async () => {
    const [one, two] = [await run("id -u"), await run("id -u")];
    expect(one.lines[0] === two.lines[0]).toBe(!isRoot);
  });

  test("git works, also where it reads objects from elsewhere", async () => {
    const script =
      "git init -q . && git config user.email a@b && git config user.name n && echo x > f && git add f && git commit -qm m && git log --oneline | wc -l";
    expect((await run(script)).lines).toEqual(["1"]);
  });

  test("a closed directory is passed through where something below it is given", async () => {
    const closed = makeFolder();
    mkdirSync(join(closed, "given"));
    writeFileSync(join(closed, "given", "seen"), "yes\n");
    writeFileSync(join(closed, "unseen"), "no\n");
    chmodSync(closed, 0o700);
    const own = { write: [cwd], read: [join(closed, "given")] };
    expect((await run(`cat ${closed}/given/seen; ls ${closed}`, { own })).lines).toEqual(["yes", "given"]);
  });
});

describe("what may be written", () => {
  test("the own places, /tmp, /dev/shm; nothing else, least of all the root", async () => {
    const { lines } = await run(
      "for d in . /tmp /dev/shm / /dev /etc /usr /run /proc/sys /var; do (echo x > $d/probe) 2>/dev/null && echo $d; done",
    );
    expect(lines).toEqual([".", "/tmp", "/dev/shm"]);
  });

  test("granted paths by what was granted, and islands stay read-only", async () => {
    const [given, seen] = [makeFolder(), makeFolder()];
    // Granted paths keep their owner: whoever runs inside needs the right to write by their mode.
    chmodSync(given, 0o777);
    chmodSync(seen, 0o777);
    mkdirSync(join(cwd, "island"));
    const script = `for d in ${given} ${seen} island; do (echo x > $d/probe) 2>/dev/null && echo wrote $d; done; ls -d ${seen}`;
    const { lines } = await run(script, { write: [given], read: [seen], protect: [join(cwd, "island")] });
    expect(lines).toEqual([`wrote ${given}`, seen]);
  });

  test("a path that is not for runs refuses the run, with every reason", async () => {
    const { record } = await run("true", { write: ["/etc"], read: ["/nowhere/at/all", "relative"] });
    expect(record.error?.kind).toBe("sandbox_refused");
    for (const path of ["/etc", "/nowhere/at/all", "relative"]) expect(record.error?.message).toContain(path);
    expect(record.commands[0]?.endedBy).toBe("refused");
  });
});

describe("what is hidden", () => {
  test("looks empty, whatever stands there, also through a link", async () => {
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

describe("a role that only reads", () => {
  const reader = { executes: false, own: { write: [], read: [] } };

  test("cannot write its directory, nor run anything that stands in a place it can write", async () => {
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

  test("the same program runs for a role that works", async () => {
    cpSync("/bin/true", join(cwd, "program"));
    expect((await run("./program && echo ran")).lines).toEqual(["ran"]);
  });
});

function withNode(): SandboxPolicy["own"] {
  return { write: [cwd], read: [realpathSync(process.execPath)] };
}

describe("the port of the model gateway", () => {
  const ask = `${realpathSync(process.execPath)} -e 'fetch("http://127.0.0.1:3129/v1/messages", { method: "POST", body: "x".repeat(1e6) }).then(async (r) => console.log(r.status, (await r.json()).error.message), (e) => console.log(e.cause.code))'`;
  test("answers an agent for which none was planned", async () => {
    const { lines } = await run(ask, { own: withNode(), answersNoModel: true });
    expect(lines).toEqual([expect.stringMatching(/^503 No model gateway was planned for this run: /)]);
  });

  test("is closed to the project's commands, which start without it", async () => {
    expect((await run(ask, { own: withNode() })).lines).toEqual(["ECONNREFUSED"]);
  });
});

describe("commands", () => {
  test("exactly the listed ones exist, and a refused one says what may be used", async () => {
    const script = "git --version > /dev/null && echo git; perl -e 1; /usr/bin/perl -e 1; echo $?";
    const { lines, job } = await run(script, { commands: ["git"] });
    expect(lines).toEqual(["git", "127"]);
    const all = readFileSync(join(job.dir, "transcript.jsonl"), "utf8");
    expect(all).toMatch(/\\"perl\\" is not available here/);
  });

  test("a program that is not there is the command's fault and said so", async () => {
    const job = bench.job([{ argv: ["no-such-program"], policy: testPolicy(cwd) }], { sandbox: "enforce" });
    const record = await bench.run(job);
    expect(record.error).toBeNull();
    expect(record.commands[0]?.startError).toMatch(/"no-such-program" is not on this machine's PATH/);
  });
});

describe("limits", () => {
  test("processes", async () => {
    const limits = { ...TEST_LIMITS, processes: 20 };
    const { lines } = await run("i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done 2>&1; echo all", { limits });
    expect(lines.at(-1)).not.toBe("all");
  });

  test("processor time of a process, with the shell's word for it; others go on", async () => {
    const limits = { ...TEST_LIMITS, cpuSeconds: 1 };
    const { lines, job, code } = await run("sh -c 'while :; do :; done'; echo $?; exit 4", { limits });
    expect([lines, code]).toEqual([["152"], 4]);
    expect(printed(job, "stderr").join("\n")).toMatch(/CPU time limit exceeded/);
  });

  test("no processor time is a limit too many", async () => {
    const { lines } = await run("ulimit -t; ulimit -H -t", { limits: { ...TEST_LIMITS, cpuSeconds: null } });
    expect(lines).toEqual(["unlimited", "unlimited"]);
  });

  test("one file", async () => {
    const limits = { ...TEST_LIMITS, fileBytes: 1024 * 1024 };
    await run("dd if=/dev/zero of=big bs=64k count=64", { limits });
    expect(readFileSync(join(cwd, "big")).length).toBe(1024 * 1024);
  });

  test("System V memory, whose segments are as many as the filter takes them to be", async () => {
    expect((await run("cat /proc/sys/kernel/shmmni")).lines).toEqual(["4096"]);
  });

  test("the temporary directory", async () => {
    const limits = { ...TEST_LIMITS, tmpBytes: 1024 * 1024 };
    const { code } = await run("dd if=/dev/zero of=/tmp/big bs=64k count=64 2>/dev/null", { limits });
    expect(code).not.toBe(0);
  });

  test("memory of all together, which the kernel does not limit", async () => {
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

describe("a start that fails", () => {
  test("is a refusal of the sandbox when it is ours, and the command never ran", async () => {
    const file = join(cwd, "no-directory");
    writeFileSync(file, "");
    const { record } = await run("echo ran", { cwd: file, own: { write: [], read: [] } });
    expect(record.error).toMatchObject({ kind: "sandbox_refused" });
    expect(record.error?.message).toMatch(/^The sandbox did not come up: cd: can't cd to \S+no-directory\. /);
    expect(record.commands).toMatchObject([{ endedBy: "refused", exit: { code: null } }]);
  });

  test.each([{}, { network: ["packages.example"] }])(
    "is the command's own whatever code it ends with: %o",
    async (over) => {
      for (const code of [1, 2, 125, 126, 127, 137]) {
        const { record } = await run(`echo "nightshift: 1: cd: no" >&2; exit ${code}`, over);
        expect(record).toMatchObject({ error: null, commands: [{ endedBy: "exit", exit: { code } }] });
      }
    },
  );

  test("leaves the command no descriptor of ours, with a relay or without", async () => {
    for (const network of [[], ["packages.example"]]) {
      // The fourth is the directory that ls reads.
      expect((await run("ls /proc/self/fd; ls /proc/1/fd 2>/dev/null | grep 6", { network })).lines).toEqual([
        "0",
        "1",
        "2",
        "3",
      ]);
    }
  });
});

describe("life", () => {
  test("whatever it leaves behind dies with it", async () => {
    const { job, code } = await run("(setsid sleep 60 &) ; nohup sleep 60 > /dev/null 2>&1 & sleep 0.1; exit 0");
    expect(code).toBe(0);
    expect(realSupervisors.processesOf(job.run)).toEqual([]);
  });

  test("asked to stop, it hears it and may end by itself", async () => {
    const job = jobOf("trap 'echo asked > asked; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    await bench.supervisors.start(job);
    await until(() => printed(job).includes("ready"));
    await bench.supervisors.control(job.dir, "stop");
    const result = await bench.watch(job.dir);
    expect(result).toMatchObject({ kind: "ended", record: { commands: [{ endedBy: "cancel", exit: { code: 0 } }] } });
    expect(existsSync(join(cwd, "asked"))).toBe(true);
  });

  test("paused, nothing inside runs; resumed, it goes on", async () => {
    const job = jobOf("echo ready; while :; do echo x >> ticks; sleep 0.02; done");
    await bench.supervisors.start(job);
    await until(() => ticks() > 4);
    await bench.supervisors.control(job.dir, "pause");
    const before = ticks();
    await new Promise((done) => setTimeout(done, 300));
    expect(ticks()).toBe(before);
    await bench.supervisors.control(job.dir, "resume");
    await until(() => ticks() > before);
    await bench.supervisors.control(job.dir, "kill");
    await bench.watch(job.dir);
  });

  test("nothing of the wall is left beside the run", async () => {
    const { job } = await run("true", { executes: false });
    expect(existsSync(join(job.dir, ".wall"))).toBe(false);
  });
});
