import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { readSupervisor } from "../adapters/process/job-files.ts";
import { TEST_LIMITS, testPolicy } from "../testing/policy.ts";
import { realSupervisors } from "../testing/real-supervisors.ts";
import { only, openJobBench, printed, readTranscript, shell } from "../testing/suites/supervisor/supervisor.suite.ts";
import { waitUntil } from "../testing/wait-until.ts";
import type { JobBench } from "../testing/suites/supervisor/supervisor.suite.ts";

let bench: JobBench;
beforeEach(() => {
  bench = openJobBench(realSupervisors);
});

const policy = (env: Record<string, string>) => testPolicy(bench.home, { env });
const filesBelow = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

describe("supervisor: environment of a command", () => {
  test("has exactly the policy's variables, the secrets and NIGHTSHIFT_RUN", async () => {
    const job = bench.job(
      [{ argv: ["/usr/bin/env"], policy: policy({ LANG: "C", NAME: "a b=c" }), secretNames: ["TOKEN"] }],
      {
        secrets: { TOKEN: "s3cr3t", OTHER: "not for this one" },
      },
    );
    await bench.run(job);
    expect(printed(job).toSorted()).toEqual(["LANG=C", "NAME=a b=c", `NIGHTSHIFT_RUN=${job.run}`, "TOKEN=s3cr3t"]);
  });

  test("secrets are in no file and no argument", async () => {
    const secret = "s3cr3t-7d1f";
    const job = bench.job([{ argv: ["sleep", "30"] }], { secrets: { TOKEN: secret } });
    await bench.supervisors.start(job);
    await waitUntil(() => realSupervisors.processesOf(job.run).length > 0);
    const pids = [readSupervisor(job.dir)?.pid ?? 0, ...realSupervisors.processesOf(job.run)];
    const argv = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    const whileRunning = filesBelow(bench.home).map((file) => readFileSync(file, "latin1"));
    await bench.supervisors.control(job.dir, "kill");
    await bench.watch(job.dir);
    const afterwards = filesBelow(bench.home).map((file) => readFileSync(file, "latin1"));
    expect(whileRunning.length).toBeGreaterThan(2);
    expect([...argv, ...whileRunning, ...afterwards].filter((text) => text.includes(secret))).toEqual([]);
  });

  test("has only the three standard descriptors", async () => {
    const job = bench.job([{ argv: ["/bin/ls", "/proc/self/fd"] }]);
    await bench.run(job);
    // The fourth descriptor is the directory that ls reads.
    expect(printed(job)).toEqual(["0", "1", "2", "3"]);
  });

  test("has the user's umask, and pipes that scripts can open by path", async () => {
    const job = bench.job(["umask; echo named > /dev/stderr; echo also > /dev/stdout"]);
    await bench.run(job);
    expect(printed(job)).toEqual([process.umask().toString(8).padStart(4, "0"), "also"]);
    expect(printed(job, "stderr")).toEqual(["named"]);
  });
});

describe("supervisor: cleanup after a command", () => {
  test("ends background processes before the next command, including escaped ones", async () => {
    const leave = "sleep 51 & setsid sleep 52 & (setsid sh -c 'env -u NIGHTSHIFT_RUN true; sleep 53 &' &); sleep 0.1";
    const job = bench.job([leave, "ps -eo args | grep '^sleep 5[123]' || echo none"]);
    await bench.run(job);
    expect(printed(job)).toEqual(["none"]);
  });

  test("does not wait for a grandchild that keeps the output open, and keeps the output", async () => {
    const job = bench.job(["printf unfinished; setsid sleep 50 &"]);
    const record = await bench.run(job);
    expect(only(record).durationMs).toBeLessThan(5_000);
    expect(printed(job)).toEqual(["unfinished"]);
  });

  test("leaves only the files of the record, readable only by the owner", async () => {
    const job = bench.job(["echo hello", { ...shell("echo checked"), logFile: "checks/lint.log" }]);
    await bench.run(job);
    expect(readdirSync(job.dir).toSorted()).toEqual([
      "checks",
      "claim",
      "exit.json",
      "job.json",
      "progress.jsonl",
      "supervisor.json",
      "transcript.jsonl",
    ]);
    expect(readFileSync(join(job.dir, "checks/lint.log"), "utf8")).toBe("checked\n");
    for (const file of filesBelow(job.dir)) expect(statSync(file).mode & 0o077, file).toBe(0);
    expect(readdirSync(join(bench.home, "s"))).toEqual([]);
  });
});

describe("supervisor: output", () => {
  test("binary output becomes valid text", async () => {
    const job = bench.job(["printf 'a\\377\\000b\\n\\303'; printf '\\244\\n'"]);
    await bench.run(job);
    expect(printed(job)).toEqual(["a\ufffd\u0000b", "ä"]);
  });

  test("an endless line is split and marked", async () => {
    const job = bench.job(["head -c 2500000 /dev/zero | tr '\\0' x"]);
    await bench.run(job);
    expect(printed(job).map(({ length }) => length)).toEqual([1048576, 1048576, 402848]);
    expect(printed(job, "supervisor")).toHaveLength(2);
  });

  test.each(["transcript", "log"])(
    "of 300 MB costs neither memory nor disk: the %s keeps its start and its end",
    async (kind) => {
      const logFile = kind === "log" ? "checks/flood.log" : null;
      const flood = { ...shell("echo first; yes | head -c 300000000; echo last"), logFile, maxOutputBytes: 500_000 };
      const job = bench.job([{ ...flood, ifFails: "continue" }, "until [ -e go ]; do sleep 0.01; done"]);
      await bench.supervisors.start(job);
      const file = join(job.dir, logFile ?? "transcript.jsonl");
      await waitUntil(() => existsSync(file) && readFileSync(file, "utf8").includes("last"), 25_000);
      const status = readFileSync(`/proc/${readSupervisor(job.dir)?.pid}/status`, "utf8");
      expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(200_000);
      writeFileSync(join(bench.home, "go"), "");
      await bench.watch(job.dir);
      const text = readFileSync(file, "utf8");
      expect(text.length).toBeLessThan(700_000);
      expect(text).toMatch(/^(\{[^\n]*)?first/);
      expect(text).toMatch(/\d{9} bytes of output were dropped here/);
      if (kind === "transcript") expect(readTranscript(job).at(-1)?.text).toBe("last");
    },
  );
});

describe("supervisor: end of a job", () => {
  test("ends a process that hangs after its report, but not one that still prints", async () => {
    const outcomeFiles = [join(bench.home, "report.json"), join(bench.home, "outcome.json")];
    const hangs = {
      ...shell("sleep 0.2; echo {} > outcome.json; sleep 50"),
      outcomeFiles,
      ifFails: "continue",
    } as const;
    const prints = { ...shell("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done"), outcomeFiles };
    const record = await bench.run(bench.job([hangs, prints]));
    expect(record.commands.map(({ endedBy }) => endedBy)).toEqual(["hung_after_outcome", "exit"]);
  });

  test("SIGTERM ends the job with a record; SIGHUP and SIGINT are ignored", async () => {
    const job = bench.job(["trap 'echo tidy; exit' TERM; echo ready; while :; do sleep 0.02; done"]);
    await bench.supervisors.start(job);
    await waitUntil(() => printed(job).includes("ready"));
    const pid = readSupervisor(job.dir)?.pid ?? 0;
    process.kill(pid, "SIGHUP");
    process.kill(pid, "SIGINT");
    expect(await bench.supervisors.control(job.dir, "resume")).toBe(true);
    process.kill(pid, "SIGTERM");
    expect(await bench.watch(job.dir)).toMatchObject({ kind: "ended", record: { commands: [{ endedBy: "lost" }] } });
    expect(printed(job)).toEqual(["ready", "tidy"]);
  });

  test("a missing program is reported as missing if a directory of PATH cannot be searched", async () => {
    // A directory with the program's name leads to the same error (EACCES), for root as well.
    mkdirSync(join(bench.home, "bin/no-such-program"), { recursive: true });
    const command = { argv: ["no-such-program"], policy: policy({ PATH: join(bench.home, "bin") }) } as const;
    const record = await bench.run(bench.job([command]));
    expect(only(record).startError).toMatch(/"no-such-program" was not found/);
  });

  test("a missing prompt file is an error, not an empty prompt", async () => {
    const record = await bench.run(bench.job([{ ...shell("touch ran"), stdinFile: join(bench.home, "nowhere.md") }]));
    expect(record).toMatchObject({ error: { kind: "internal", message: expect.stringMatching(/nowhere\.md/) } });
    expect(existsSync(join(bench.home, "ran"))).toBe(false);
  });

  test("a failure of the supervisor itself is written to the record", async () => {
    const record = await bench.run(bench.job([{ ...shell("true"), logFile: "../outside.log" }]));
    expect(record).toMatchObject({ error: { kind: "internal" } });
    expect(record.error?.message).toMatch(/outside the job's directory/);
  });

  const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
  test.runIf(canMount)("a disk that becomes full ends the command; the record is still written", async () => {
    const left = await superviseOnSmallDisk({ ...shell("yes | head -c 100000000; sleep 50"), maxOutputBytes: 1e9 });
    expect(left.record).toMatchObject({ error: { kind: "disk_full" }, commands: [{ endedBy: "kill" }] });
    expect(left.lastLine).toMatchObject({ text: "y" });
    expect(left.names).toEqual([
      "claim",
      "exit.json",
      "job.json",
      "progress.jsonl",
      "supervisor.json",
      "transcript.jsonl",
    ]);
  });

  test.runIf(canMount)(
    "a command that fails on a full disk is reported as a full disk; one that succeeds counts as success",
    async () => {
      const failed = await superviseOnSmallDisk(shell("echo tried; exit 3"));
      expect(failed.record).toMatchObject({ error: { kind: "disk_full" }, commands: [{ exit: { code: 3 } }] });
      const passed = await superviseOnSmallDisk(shell("echo tried"));
      expect(passed.record).toMatchObject({ error: null, commands: [{ exit: { code: 0 } }] });
    },
  );
});

async function superviseOnSmallDisk(
  command: Parameters<JobBench["job"]>[0][number],
): Promise<{ record: unknown; lastLine: unknown; names: readonly string[] }> {
  const job = bench.job([command]);
  const mount = mkdtempSync(join(tmpdir(), "nightshift-full-"));
  onTestFinished(() => rmSync(mount, { recursive: true }));
  const stored = {
    ...job,
    dir: mount,
    socket: join(bench.home, "full.sock"),
    timings: { graceMs: 100, hungMs: 100 },
  };
  writeFileSync(join(bench.home, "stored.json"), JSON.stringify(stored));
  const script =
    'mount -t tmpfs -o size=256k none "$1" && cp "$2" "$1/job.json" && printf %s "$5" | "$3" "$4" "$1" 3<&0; cat "$1/exit.json"; tail -n 1 "$1/transcript.jsonl"; ls -A "$1"';
  const entry = new URL("./main.ts", import.meta.url).pathname;
  const jobSecrets = JSON.stringify({ secrets: {}, keys: {}, redact: [] });
  const args = [
    "-rm",
    "sh",
    "-c",
    script,
    "sh",
    mount,
    join(bench.home, "stored.json"),
    process.execPath,
    entry,
    jobSecrets,
  ];
  const output = await readAll(spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] }));
  const [record = "", lastLine = "", ...names] = output.trim().split("\n");
  return { record: JSON.parse(record), lastLine: JSON.parse(lastLine), names: names.toSorted() };
}

async function readAll(child: ReturnType<typeof spawn>): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return text;
}

test("supervisor: a nearly full disk is reported as full and not as an error of the command", async () => {
  const limits = { ...TEST_LIMITS, diskFloorBytes: Number.MAX_SAFE_INTEGER };
  const command = { argv: ["sleep", "30"] as const, policy: testPolicy(bench.home, { limits }) };
  const record = await bench.run(bench.job([command]));
  expect(record.error).toMatchObject({ kind: "disk_full" });
});
